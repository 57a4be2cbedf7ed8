import { type Delivery, type HitMessage, receiverKey } from '../domain/delivery/delivery.ts';
import {
  type EscalationRound,
  type EventContext,
  newDelivery,
  readerOf,
  snapshotOf,
  webhookSnapshot,
} from '../domain/delivery/snapshot.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { type Decided, rawMessageOf } from '../domain/event/decision.ts';
import type { Format } from '../domain/formats/format.ts';
import { canExpressEvent, formats } from '../domain/formats/formats.ts';
import { DEFAULT_LOCALE } from '../domain/identity/language.ts';
import type { Bot } from '../domain/people/bot.ts';
import { nameOfUser } from '../domain/rule/acknowledgement.ts';
import type { Person, Recipient } from '../domain/rule/recipient.ts';
import { includesOnDuty, peopleIn, type UserOnDuty, usersIn, webhooksIn } from '../domain/rule/recipients.ts';
import type { Rule } from '../domain/rule/rule.ts';
import type { RuleMessage } from '../domain/rule/rule-hit.ts';
import type { UserItem } from '../store/identity/users.ts';
import type { StoreOf } from '../store/store.ts';
import { situationText } from './messages/situation-text.ts';
import { readPeopleOnDuty } from './on-duty.ts';

/** The current records of the recipients named in rules. `onDuty`: the users on duty. */
export type KnownRecipients = {
  webhooks: ReadonlyMap<string, WebhookRecord>;
  bots: ReadonlyMap<number, Bot>;
  users: ReadonlyMap<number, UserItem>;
  onDuty: readonly UserOnDuty[];
};

/** A webhook or a person that receives a message from a hit. */
export type Addressee = { accountId: number; name: string } & ({ webhookId: string } | { by: Person['by'] });

/** Returns the receiver key for an addressee. Addressees with the same key share a receiver. */
export const addresseeKey = ({ accountId, name, ...way }: Addressee): string =>
  receiverKey('webhookId' in way ? way : { webhookId: null, person: { userId: accountId, by: way.by, name } });

/** Returns the first target for each receiver. */
export const uniqueAddressees = <T extends { addressee: Addressee }>(targets: readonly T[]): T[] =>
  [...new Map(targets.toReversed().map((target) => [addresseeKey(target.addressee), target])).values()].toReversed();

/** Returns how an addressee is notified, for the `publisher` field of the message in a hit. */
export const publisherFor = (addressee: Addressee): RuleMessage['publisher'] =>
  'by' in addressee ? addressee.by : 'webhook';

type RecipientDeps = {
  store: StoreOf<'recipients.webhooks' | 'recipients.person' | 'duty.get' | 'channels.list'>;
  now: () => number;
};

/**
 * Reads the recipients a decision may notify, and the customer webhooks whose ids are in `customerWebhooks`. Webhooks
 * and bots are read in one batch. People are read only if a rule names them.
 */
export const readRecipients = async (
  { store, now }: RecipientDeps,
  { customerId, customer }: { customerId: number; customer: { timeZone: string } | null },
  recipients: readonly Recipient[],
  customerWebhooks: readonly string[] = [],
): Promise<KnownRecipients> => {
  const named = webhooksIn(recipients);
  const webhookIds = new Set([...customerWebhooks, ...named.map(({ webhookId }) => webhookId)]);
  const [found, peopleOnDuty] = await Promise.all([
    store.recipients.webhooks(customerId, webhookIds, new Set(named.map(({ botId }) => botId))),
    includesOnDuty(recipients) ? readPeopleOnDuty(store, customerId, customer, now()) : [],
  ]);
  const known = new Map(peopleOnDuty.map(({ user }) => [user.id, user]));
  const ids = usersIn(recipients).filter((userId) => !known.has(userId));
  for (const user of await Promise.all(ids.map((userId) => store.recipients.person(customerId, userId))))
    if (user) known.set(user.id, user);
  const onDuty = peopleOnDuty.map(({ userId, channels }) => ({ userId, verified: channels.map(({ by }) => by) }));
  return { ...found, onDuty, users: known };
};

/** Whether the format has a payload for the event. */
export const expressesEvent = (format: Format, { event }: EventContext): boolean =>
  canExpressEvent(format, event.happening.code, rawMessageOf(event));

/**
 * Returns an event's addressees without duplicates. A webhook whose format has no payload for the event is left out,
 * because the message would stay pending forever. A deleted user still gets a message, and its delivery visibly fails.
 */
export const addresseesOf = (
  recipients: readonly Recipient[],
  known: KnownRecipients,
  eventContext: EventContext,
): Addressee[] => {
  const { webhooks, bots, users, onDuty } = known;
  const supported = webhooksIn(recipients).filter(({ webhookId }) =>
    expressesEvent(webhooks.get(webhookId)?.format ?? 'full', eventContext),
  );
  const toWebhooks = supported.map(({ botId, webhookId }) => ({
    accountId: botId,
    name: bots.get(botId)?.name ?? '',
    webhookId,
  }));
  const toPeople = peopleIn(recipients, onDuty).map(({ userId, by }) => {
    const user = users.get(userId);
    return { accountId: userId, name: user ? nameOfUser(user) : '', by };
  });
  return [...toWebhooks, ...toPeople];
};

/** Describes an event in the given language. */
export const eventText = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

/** A delivery's rule and addressee. `hit`: the message in the hit that the delivery reports to. */
type DeliveryTarget = { rule: Rule; addressee: Addressee; hit: HitMessage | null; round?: EscalationRound };

/** Returns the delivery to an addressee. Empty if the webhook was deleted or now belongs to another bot. */
export const deliveriesTo = async (
  { now }: Pick<RecipientDeps, 'now'>,
  eventContext: EventContext,
  { webhooks, bots, users }: KnownRecipients,
  { rule, addressee, hit, round }: DeliveryTarget,
): Promise<Delivery[]> => {
  const { accountId, name } = addressee;
  const { locale } = ('by' in addressee ? users : bots).get(accountId) ?? { locale: DEFAULT_LOCALE };
  const text = await eventText(locale, eventContext.event);
  const common = { customerId: rule.customerId, hit, ruleId: rule.id, ...(round && { round }) };
  const reader = readerOf(eventContext, rule, locale);
  if ('by' in addressee) {
    const person = { userId: accountId, by: addressee.by, name };
    const snapshot = snapshotOf(eventContext, undefined, rule, { text, reader });
    return [newDelivery(eventContext, { ...common, person }, snapshot, now())];
  }
  const webhook = webhooks.get(addressee.webhookId);
  if (webhook?.botId !== accountId) return [];
  const { format, id: webhookId } = webhook;
  const isRead = formats[format].isForPeople;
  const snapshot = snapshotOf(eventContext, webhookSnapshot(webhook), rule, { text, ...(isRead && { reader }) });
  return [newDelivery(eventContext, { ...common, webhookId, format }, snapshot, now())];
};
