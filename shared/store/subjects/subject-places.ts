import { usernameKey } from '#shared/domain/identity/username.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { FeedbackWebhook } from '../deliveries/maker-feedback.ts';
import type { DeviceLink } from '../sensors/device-tokens.ts';
import { items } from '../table.ts';
import type { Lead, StoredItem, SubjectPlace, SubjectScope, subjectReads } from './subjects.ts';

type Reads = Pick<ReturnType<typeof subjectReads>, 'pages' | 'get'>;

const allOf = async (reads: Reads, place: SubjectPlace): Promise<StoredItem[]> => {
  const found: StoredItem[] = [];
  for await (const page of reads.pages(place)) found.push(...page);
  return found;
};

/** Returns the ids at the end of the sort keys with these prefixes, for both existing and former items. */
const idsIn = async (reads: Reads, customerId: number, ...prefixes: readonly string[]): Promise<string[]> => {
  const pk = items.customer.pk({ customerId });
  const found = await Promise.all(prefixes.map((beginsWith) => allOf(reads, { pk, beginsWith })));
  return [...new Set(found.flat().map(({ sk }) => sk.slice(sk.indexOf('#') + 1)))];
};
const sensorIds = (reads: Reads, customerId: number) => idsIn(reads, customerId, 'SENSOR#', 'FORMER#');
const webhookIds = (reads: Reads, customerId: number) => idsIn(reads, customerId, 'WEBHOOK#', 'FORMER_WEBHOOK#');

/** Returns the leads to customer data, which is found through a user, a sensor, a webhook or the customer id. */
export const leadsOf = async (reads: Reads, customerId: number): Promise<Lead[]> => {
  const pk = items.user.pk({ customerId });
  const users = await Promise.all(['USER#', 'FORMER_USER#'].map((beginsWith) => allOf(reads, { pk, beginsWith })));
  return [
    ...users.flat().map(
      ({ sk, accountKey }): Lead => ({
        kind: 'user',
        id: String(Number(sk.slice(sk.indexOf('#') + 1))),
        accountKey: String(accountKey),
      }),
    ),
    ...(await sensorIds(reads, customerId)).map((id): Lead => ({ kind: 'sensor', id })),
    ...(await webhookIds(reads, customerId)).map((id): Lead => ({ kind: 'webhook', id })),
  ];
};

/**
 * Yields the places that hold an account's sessions, tokens and codes. The account itself comes last, because it leads
 * to them.
 */
async function* placesOfAccount(reads: Reads, accountKey: string): AsyncGenerator<SubjectPlace> {
  const pk = items.account.pk({ accountKey });
  for await (const page of reads.pages({ pk })) {
    for (const item of page) {
      const hash = item.hash as string | undefined;
      if (hash && (items.login.read(item) || items.accessToken.read(item))) yield { pk: items.session.pk({ hash }) };
      const reset = items.resetOfAccount.read(item);
      if (reset) yield { pk: items.reset.pk({ hash: reset.hash }) };
    }
  }
  yield { pk };
}

async function* placesOfUser(reads: Reads, customerId: number, id: string, accountKey: string | null) {
  const user = await reads.get(items.user({ customerId, userId: id }));
  if (user?.subject) yield { pk: items.externalUser.pk({ hash: String(user.subject) }) };
  if (user) yield { pk: items.username.pk({ username: usernameKey(String(user.username)) }) };
  if (accountKey !== null) yield* placesOfAccount(reads, accountKey);
  yield { pk: items.channel.pk({ customerId, userId: id }) };
  yield { pk: items.owner.pk({ kind: 'user', id }) };
}

/**
 * Yields the places of a sensor that belongs to this customer, and those of its device. The owner comes second to last
 * and the sensor last. While a sensor has an owner, the device cannot register again, and data recorded after a new
 * registration would no longer belong to this customer.
 */
export async function* placesOfDevice(
  reads: Reads,
  customerId: number,
  sensorId: string,
): AsyncGenerator<SubjectPlace> {
  const owner = items.owner({ kind: 'sensor', id: sensorId });
  const sensor = await reads.get(items.sensor({ customerId, sensorId }));
  if (sensor && (await reads.get(owner))?.customerId === customerId) {
    const { manufacturer, hardwareId } = sensor as unknown as { manufacturer: string; hardwareId: string };
    yield { pk: items.hardware.pk({ manufacturer, hardwareId }) };
    const link = (await reads.get(items.deviceOfSensor({ sensorId }))) as (StoredItem & DeviceLink) | null;
    if (link) {
      yield { pk: items.device.pk({ hash: link.hash }) };
      if (link.formerHash !== undefined) yield { pk: items.device.pk({ hash: link.formerHash }) };
      yield { pk: items.pairingCode.pk({ hash: link.pairingHash }) };
      yield { pk: items.deviceOfSensor.pk({ sensorId }) };
    }
    yield { pk: owner.pk };
  }
  const { pk, sk } = items.sensor({ customerId, sensorId });
  yield { pk, beginsWith: sk };
}

/** Yields the places that hold the owner items for bots, groups and rules. */
async function* ownersOf(reads: Reads, customerId: number): AsyncGenerator<SubjectPlace> {
  for (const [kind, prefix] of [
    ['bot', 'BOT#'],
    ['sensor_group', 'GROUP#'],
    ['rule', 'RULE#'],
  ] as const)
    for (const id of await idsIn(reads, customerId, prefix)) yield { pk: items.owner.pk({ kind, id: Number(id) }) };
}

/** Yields the place that holds feedback for the manufacturer, which is delivered to another customer's webhook. */
async function* placesOfMaker(reads: Reads): AsyncGenerator<SubjectPlace> {
  const home = (await reads.get(items.makerFeedback({}))) as (StoredItem & FeedbackWebhook) | null;
  if (home) yield { pk: items.delivery.pk(home), beginsWith: 'DELIVERY#' };
}

/** Returns the customer partitions that hold data about many subjects. */
const sharedPlaces = (customerId: number): SubjectPlace[] => [
  { pk: items.lateChange.pk({ customerId }) },
  { pk: items.ruleHit.pk({ customerId }) },
  { pk: items.unnotified.pk({ customerId }) },
  { pk: items.fallAnswer.pk({ customerId }) },
  { pk: items.personDelivery.pk({ customerId }) },
  { pk: items.auditLine.pk({ customerId }) },
  ...(customerId === UNASSIGNED ? [] : [{ pk: items.auditLine.pk({ customerId: UNASSIGNED }) }]),
];

async function* placesOfCustomer(
  reads: Reads,
  customerId: number,
  leads: readonly Lead[],
): AsyncGenerator<SubjectPlace> {
  for (const lead of leads) if (lead.kind === 'user') yield* placesOfUser(reads, customerId, lead.id, lead.accountKey);
  for (const { kind, id } of leads) {
    if (kind !== 'sensor') continue;
    yield* placesOfDevice(reads, customerId, id);
    yield { pk: items.sensorState.pk({ customerId, sensorId: id }) };
  }
  for (const { kind, id: webhookId } of leads) {
    if (kind !== 'webhook') continue;
    yield { pk: items.owner.pk({ kind, id: webhookId }) };
    yield { pk: items.feedLine.pk({ customerId, webhookId }) };
    yield { pk: items.delivery.pk({ customerId, webhookId }) };
  }
  yield* ownersOf(reads, customerId);
  yield* placesOfMaker(reads);
  yield* sharedPlaces(customerId);
  // These come last, because they lead to the rest.
  yield { pk: items.groupMember.pk({ customerId }) };
  yield { pk: items.rule.pk({ customerId }) };
  yield { pk: items.wholeRule.pk({ customerId }) };
  yield { pk: items.customer.pk({ customerId }) };
}

/** Yields a customer's places that may also hold data about one of the sensors or users. */
async function* placesAmongOthers(reads: Reads, customerId: number): AsyncGenerator<SubjectPlace> {
  for (const webhookId of await webhookIds(reads, customerId))
    yield { pk: items.delivery.pk({ customerId, webhookId }), beginsWith: 'DELIVERY#' };
  yield* placesOfMaker(reads);
  yield* sharedPlaces(customerId);
  yield { pk: items.groupMember.pk({ customerId }) };
  yield { pk: items.customer.pk({ customerId }) };
}

/**
 * Yields every place that may hold a subject's data, starting with those through which readers find it. No place is
 * found by reading the whole table.
 */
export async function* placesOf(reads: Reads, who: SubjectScope, leads: readonly Lead[]): AsyncGenerator<SubjectPlace> {
  const { customerId, subject, accountKeys } = who;
  if (subject.kind === 'customer') return yield* placesOfCustomer(reads, customerId, leads);
  if (subject.kind === 'sensor') {
    yield { pk: items.sensorState.pk({ customerId, sensorId: subject.id }) };
    return yield* placesAmongOthers(reads, customerId);
  }
  const [accountKey = null] = accountKeys;
  yield* placesOfUser(reads, customerId, String(subject.id), accountKey);
  for (const sensorId of await sensorIds(reads, customerId)) {
    yield { pk: items.feedback.pk({ customerId, sensorId }), beginsWith: 'FEEDBACK#' };
    yield { pk: items.notice.pk({ customerId, sensorId }), beginsWith: 'NOTICE#' };
  }
  return yield* placesAmongOthers(reads, customerId);
}

/** Returns the places that can be found only through an item: delivery attempts, and the feedback on a hit. */
export const placesOfItem = (item: StoredItem, { customerId, subject }: SubjectScope): SubjectPlace[] => {
  const hit = items.ruleHit.read(item);
  if (hit && (item.feedbackRevision ?? item.feedback) !== undefined)
    return [{ pk: items.feedbackOfHit.pk({ customerId, hitId: Number(hit.hitId) }) }];
  const delivery = items.delivery.read(item);
  // An erasure of a customer finds the attempts in the customer's own partitions without their deliveries.
  if (!delivery || (subject.kind === 'customer' && Number(delivery.customerId) === customerId)) return [];
  return [{ pk: item.pk, beginsWith: `ATTEMPT#${delivery.deliveryId}#` }];
};
