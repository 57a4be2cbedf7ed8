import { nameOfUser } from '../../../shared/domain/acknowledgement.ts';
import type { Bot } from '../../../shared/domain/bot.ts';
import { receiverOf } from '../../../shared/domain/delivery.ts';
import type { Format } from '../../../shared/domain/formats/format.ts';
import { takes } from '../../../shared/domain/formats/formats.ts';
import type { Person, Recipient } from '../../../shared/domain/recipient.ts';
import { isForDuty, peopleIn, usersIn, webhooksIn } from '../../../shared/domain/recipients.ts';
import type { RuleMessage } from '../../../shared/domain/rule-hit.ts';
import type { EventContext } from '../../../shared/domain/snapshot.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import type { UserItem } from '../../../shared/store/users.ts';
import type { ProcessDeps } from './sensor-context.ts';

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

/** In which way an addressee is told, as messages of hits say. */
export const publisherOf = (one: Addressee): RuleMessage['publisher'] => ('by' in one ? one.by : 'webhook');

/**
 * Reads all whom a decision may tell, and the customer webhooks `hooks`. Webhooks and bots are one batch; people are read
 * only where a rule names them, so that a rule of webhooks costs nothing for them.
 */
export const knownOf = async (
  { store, now }: ProcessDeps,
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
export const toldBy = (recipients: readonly Recipient[], known: Known, eventContext: EventContext): Addressee[] => {
  const { webhooks, bots, users, onDuty } = known;
  const fitting = webhooksIn(recipients).filter(({ webhookId }) =>
    isTold(webhooks.get(webhookId)?.format ?? 'full', eventContext),
  );
  const toWebhooks = fitting.map(({ botId, webhookId }) => ({
    ...{ accountId: botId, name: bots.get(botId)?.name ?? '', webhookId },
  }));
  const toPeople = peopleIn(recipients, onDuty).map(({ userId, by }) => {
    const user = users.get(userId);
    return { accountId: userId, name: user ? nameOfUser(user) : '', by };
  });
  return [...toWebhooks, ...toPeople];
};
