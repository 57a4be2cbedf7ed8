import { type Delivery, type HitMessage, receiverOf } from '../domain/delivery/delivery.ts';
import {
  type EscalationRound,
  type EventContext,
  newDelivery,
  readerOf,
  senderOf,
  snapshotOf,
} from '../domain/delivery/snapshot.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import type { Decided } from '../domain/event/decision.ts';
import type { Format } from '../domain/formats/format.ts';
import { formats, takes } from '../domain/formats/formats.ts';
import { DEFAULT_LOCALE } from '../domain/identity/locale.ts';
import type { Bot } from '../domain/people/bot.ts';
import { nameOfUser } from '../domain/rule/acknowledgement.ts';
import type { Person, Recipient } from '../domain/rule/recipient.ts';
import { isForDuty, peopleIn, usersIn, webhooksIn } from '../domain/rule/recipients.ts';
import type { Rule } from '../domain/rule/rule.ts';
import type { RuleMessage } from '../domain/rule/rule-hit.ts';
import type { UserItem } from '../store/identity/users.ts';
import type { StoreOf } from '../store/store.ts';
import { situationText } from './messages/situation-text.ts';

/** Those whom rules name, as they are now. `onDuty`: the ids of the users who are on duty. */
export type Known = {
  webhooks: ReadonlyMap<string, WebhookRecord>;
  bots: ReadonlyMap<number, Bot>;
  users: ReadonlyMap<number, UserItem>;
  onDuty: readonly number[];
};

/** One who is told, by a message of the hit. */
export type Addressee = { accountId: number; name: string } & ({ webhookId: string } | { by: Person['by'] });

/** What tells the receiver that an addressee is from any other. */
export const keyOfAddressee = ({ accountId, name, ...way }: Addressee): string =>
  receiverOf('webhookId' in way ? way : { webhookId: null, person: { userId: accountId, by: way.by, name } });

/** Each receiver once: the first one of several counts. */
export const onceEach = <T extends { addressee: Addressee }>(all: readonly T[]): T[] =>
  [...new Map(all.toReversed().map((target) => [keyOfAddressee(target.addressee), target])).values()].toReversed();

/** In which way an addressee is told, as messages of hits say. */
export const publisherOf = (addressee: Addressee): RuleMessage['publisher'] =>
  'by' in addressee ? addressee.by : 'webhook';

type Reading = {
  store: StoreOf<'recipients.webhooks' | 'recipients.person' | 'recipients.onDuty'>;
  now: () => number;
};

/**
 * Reads all whom a decision may tell, and the customer webhooks `hooks`. Webhooks and bots are one batch; people are read
 * only where a rule names them, so that a rule of webhooks costs nothing for them.
 */
export const knownOf = async (
  { store, now }: Reading,
  customerId: number,
  recipients: readonly Recipient[],
  hooks: readonly string[] = [],
): Promise<Known> => {
  const named = webhooksIn(recipients);
  const webhookIds = new Set([...hooks, ...named.map(({ webhookId }) => webhookId)]);
  const [found, all] = await Promise.all([
    store.recipients.webhooks(customerId, webhookIds, new Set(named.map(({ botId }) => botId))),
    isForDuty(recipients) ? store.recipients.onDuty(customerId, now()) : [],
  ]);
  const onDuty = all.map(({ userId }) => userId);
  const ids = [...new Set([...usersIn(recipients), ...onDuty])];
  const users = await Promise.all(ids.map((userId) => store.recipients.person(customerId, userId)));
  return { ...found, onDuty, users: new Map(users.flatMap((user) => (user ? [[user.id, user]] : []))) };
};

/** Can this format tell of the event? */
export const isTold = (format: Format, { event: { source, happening } }: EventContext): boolean =>
  takes(format, { source, code: happening.code });

/**
 * Who is told of an event by these recipients, each once. A webhook whose format cannot tell of it gets no message, which
 * would wait for it for ever. A person who is gone gets one: its delivery fails, and everybody sees that.
 */
export const addresseesOf = (
  recipients: readonly Recipient[],
  known: Known,
  eventContext: EventContext,
): Addressee[] => {
  const { webhooks, bots, users, onDuty } = known;
  const fitting = webhooksIn(recipients).filter(({ webhookId }) =>
    isTold(webhooks.get(webhookId)?.format ?? 'full', eventContext),
  );
  const toWebhooks = fitting.map(({ botId, webhookId }) => ({
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

/** What happened, in a language. */
export const textFor = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

/** By which rule a delivery tells whom; `hit`: the message of the hit that it reports to. */
type To = { rule: Rule; addressee: Addressee; hit: HitMessage | null; round?: EscalationRound };

/** The delivery of an event to one who is told; none to a webhook that is gone or belongs to another bot by now. */
export const deliveryTo = async (
  { now }: Pick<Reading, 'now'>,
  eventContext: EventContext,
  { webhooks, bots, users }: Known,
  { rule, addressee, hit, round }: To,
): Promise<Delivery[]> => {
  const { accountId, name } = addressee;
  const { locale } = ('by' in addressee ? users : bots).get(accountId) ?? { locale: DEFAULT_LOCALE };
  const text = await textFor(locale, eventContext.event);
  const of = { customerId: rule.customerId, hit, ruleId: rule.id, ...(round && { round }) };
  const reader = { reader: readerOf(eventContext, rule, locale) };
  if ('by' in addressee) {
    const person = { userId: accountId, by: addressee.by, name };
    const snapshot = { ...snapshotOf(eventContext, undefined, rule, text), ...reader };
    return [newDelivery(eventContext, { ...of, person }, snapshot, now())];
  }
  const webhook = webhooks.get(addressee.webhookId);
  if (webhook?.botId !== accountId) return [];
  const { format, id: webhookId } = webhook;
  const snapshot = snapshotOf(eventContext, senderOf(webhook), rule, text);
  const read = { ...snapshot, ...(formats[format].isForPeople && reader) };
  return [newDelivery(eventContext, { ...of, webhookId, format }, read, now())];
};
