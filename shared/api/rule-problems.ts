import { canExpressSituation } from '../domain/formats/formats.ts';
import { notOffered, type SendableKinds } from '../domain/people/sendable.ts';
import type { FieldError } from '../domain/problem.ts';
import type { Recipient } from '../domain/rule/recipient.ts';
import { type NotificationPlan, recipientLists, webhooksIn } from '../domain/rule/recipients.ts';
import type { RuleUpdate } from '../domain/rule/rule.ts';
import type { Deps } from '../runtime/deps.ts';
import { verifiedChannelsOf } from './verified-channels.ts';

type WatchedUses = 'sensors.get' | 'sensorGroups.get' | 'rooms.get';
type RecipientUses = 'webhooks.getAll' | 'recipients.person' | 'channels.verifiedOf';

/** A recipient list, the path in the body, and the situation the recipients are notified of. */
type RuleRecipients = { path: string; recipients: readonly Recipient[]; situation: RuleUpdate['situation'] };

const channelOf = ({ userId, by }: Recipient): string => `${userId} ${by}`;

/**
 * Returns the first channel in a rule that the host cannot send through. A change may keep such channels if the rule
 * `before` had them, even though they reach no one.
 */
export const channelProblem = (
  settings: Pick<SendableKinds, 'CHANNEL_KINDS'>,
  rule: NotificationPlan,
  before: NotificationPlan | null,
): FieldError | null => {
  const kept = new Set(
    (before === null ? [] : recipientLists(before)).flatMap(({ recipients }) => recipients.map(channelOf)),
  );
  for (const { path, recipients } of recipientLists(rule))
    for (const [at, recipient] of recipients.entries()) {
      const { by } = recipient;
      if (by === undefined || settings.CHANNEL_KINDS.includes(by) || kept.has(channelOf(recipient))) continue;
      const [problem, values] = notOffered(settings);
      return { path: `${path}.${at}.by`, problem, values };
    }
  return null;
};

/** Returns why a user cannot be notified through a channel, or null if the channel is verified. */
const personProblem = async (
  store: Deps<RecipientUses>['store'],
  customerId: number,
  { userId, by }: Recipient,
  path: string,
): Promise<FieldError | null> => {
  if (userId === undefined) return null;
  const channels = await verifiedChannelsOf(store, customerId, userId);
  if (!channels) return { path: `${path}.userId`, problem: 'unknown_reference' };
  return channels.some((channel) => channel.by === by) ? null : { path: `${path}.by`, problem: 'not_reachable' };
};

/**
 * Returns the first recipient that does not belong to the customer or cannot be notified. A webhook must belong to the
 * named bot and have a format for the situation. A user needs a verified channel.
 */
const recipientProblem = async (
  store: Deps<RecipientUses>['store'],
  customerId: number,
  { path, recipients, situation }: RuleRecipients,
): Promise<FieldError | null> => {
  const webhookIds = webhooksIn(recipients).map(({ webhookId }) => webhookId);
  const webhooks = new Map(
    (await store.webhooks.getAll(customerId, webhookIds)).map((webhook) => [webhook.id, webhook]),
  );
  for (const [at, recipient] of recipients.entries()) {
    const { botId, webhookId } = recipient;
    if (webhookId !== undefined) {
      const webhook = webhooks.get(webhookId);
      if (!webhook) return { path: `${path}.${at}.webhookId`, problem: 'unknown_reference' };
      if (webhook.botId !== botId) return { path: `${path}.${at}.botId`, problem: 'foreign_webhook' };
      if (!canExpressSituation(webhook.format, situation))
        return { path: `${path}.${at}.webhookId`, problem: 'format_cannot_tell' };
    }
    const problem = await personProblem(store, customerId, recipient, `${path}.${at}`);
    if (problem) return problem;
  }
  return null;
};

/**
 * Returns the first reference in a rule that does not exist, belongs to another customer, or does not fit the rest of
 * the rule.
 */
export const referenceProblem = async (
  store: Deps<WatchedUses | RecipientUses>['store'],
  customerId: number,
  rule: RuleUpdate,
): Promise<FieldError | null> => {
  const { sensorId, sensorGroupId, regionId, situation } = rule;
  const unknown = (path: string): FieldError => ({ path, problem: 'unknown_reference' });
  if (sensorId !== null && !(await store.sensors.get(customerId, sensorId))) return unknown('sensorId');
  if (sensorGroupId !== null && !(await store.sensorGroups.get(customerId, sensorGroupId)))
    return unknown('sensorGroupId');
  if (sensorId !== null && regionId !== null) {
    const room = await store.rooms.get(customerId, sensorId);
    if (!room?.regions.some(({ id }) => id === regionId)) return unknown('regionId');
  }
  for (const { path, recipients } of recipientLists(rule)) {
    const problem = await recipientProblem(store, customerId, { path, recipients, situation });
    if (problem) return problem;
  }
  return null;
};
