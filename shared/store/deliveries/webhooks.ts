import { DELIVERY_RETENTION } from '#shared/domain/delivery/delivery.ts';
import type { EventFilters } from '#shared/domain/delivery/event-filters.ts';
import { hasUrl, UNFETCHED_ALERT_AFTER } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord, WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import type { Format } from '#shared/domain/formats/format.ts';
import { addOne, removeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt } from '../engine/due.ts';
import { type Condition, changes, present, type Write, where } from '../engine/request.ts';
import { groupReference } from '../sensors/group-reference.ts';
import { items } from '../table.ts';

export const webhookReads = (table: TableReader) => ({
  get: (customerId: number, webhookId: string) => table.get<WebhookRecord>(items.webhook({ customerId, webhookId })),
  getAll: (customerId: number, webhookIds: readonly string[]) =>
    table.getAll<WebhookRecord>(webhookIds.map((webhookId) => items.webhook({ customerId, webhookId }))),
  /** Returns all webhooks. If `consistent` is false, they may be a few seconds old, but cost half as much. */
  list: (customerId: number, consistent = true) =>
    table.queryAll<WebhookRecord>({ pk: items.webhook.pk({ customerId }), beginsWith: 'WEBHOOK#', consistent }),
});

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;

/**
 * Returns the change to the customer item, which lists the webhooks that receive every event. It adds the webhook, or
 * removes it if `format` is null.
 */
const hooksChange = ({ id }: WebhookKey, format: Format | null) => ({
  UpdateExpression: format === null ? 'REMOVE hooks.#id' : 'SET hooks.#id = :format',
  ExpressionAttributeNames: { '#id': id },
  ...(format !== null && { ExpressionAttributeValues: { ':format': format } }),
});
const hooksWrite = (webhook: WebhookKey, format: Format | null): Write => ({
  update: items.customer({ customerId: webhook.customerId }),
  changes: { ...hooksChange(webhook, format), ...present },
});

/** Requires the group in a webhook filter to exist. */
const filterChecks = (
  { customerId }: Pick<WebhookRecord, 'customerId'>,
  { sensorGroupId }: Partial<EventFilters>,
): Write[] => (typeof sensorGroupId === 'number' ? [groupReference(customerId, sensorGroupId)] : []);

/**
 * Returns the write that ties a webhook to its owner. It requires the bot to exist, or adds the webhook to the
 * customer's list.
 */
const ownerWrite = (webhook: WebhookKey, { botId, format }: Pick<WebhookRecord, 'botId' | 'format'>): Write =>
  botId === null
    ? hooksWrite(webhook, format)
    : { check: items.bot({ customerId: webhook.customerId, botId }), where: present };

/** Requires the webhook to still have the owner for which the caller's permissions were checked. */
const sameOwner = ({ botId }: WebhookRecord): Condition =>
  botId === null ? where('#isCustomerHook = :yes', { yes: true }) : where('#botId = :owner', { owner: botId });

/** The attributes describing receiver health, except the number of failures. */
const healthAttributes = [
  'failingSince',
  'goneSince',
  'warnedAt',
  'openUntil',
  'probeUntil',
  'probeUntilToken',
  'slowUntil',
] as const;
/**
 * Returns the changes to a webhook that is enabled, disabled or moved to another URL. `isEnabled` is set only on a
 * disabled webhook, so that an update cannot enable a webhook that has just been disabled automatically. Enabling
 * resets the health. So does a different URL, because the failures belong to another receiver.
 */
const stateChanges = ({ isEnabled, url }: WebhookUpdate, before: WebhookRecord, now: number) => {
  const isMoved = url !== before.url;
  const isNowEnabled = isEnabled && (isMoved || !before.isEnabled);
  const isReset = isMoved || isNowEnabled;
  // The sweep has to post the deliveries in the feed, or to move held deliveries to the feed and check that they are
  // fetched.
  const isDue = (isMoved && before.url === null) || (isReset && url === null);
  return {
    set: {
      ...(isReset && { consecutiveFailures: 0 }),
      ...(isNowEnabled && { isEnabled, disabledReason: null }),
      ...(!isEnabled && { isEnabled }),
      ...(isDue && dueAt(before.id, now)),
    },
    remove: isReset ? healthAttributes : [],
  };
};

/** Returns the writes for a new webhook. */
export const putWebhook = (webhook: WebhookRecord): Write[] => {
  const { customerId, id: webhookId } = webhook;
  const due = !hasUrl(webhook) && dueAt(webhookId, webhook.createDate + UNFETCHED_ALERT_AFTER);
  return [
    { put: { ...webhook, ...items.webhook({ customerId, webhookId }), ...due } },
    { put: { ...items.owner({ kind: 'webhook', id: webhookId }), customerId } },
  ];
};

/** Creates a webhook if the customer has fewer than `limit` webhooks, and the bot and the filter's group exist. */
const createWebhook = async (
  table: Table,
  webhook: WebhookRecord,
  limit: number,
): Promise<'unknown_reference' | 'customer_unknown' | 'limit_reached' | null> => {
  const { customerId, botId, format } = webhook;
  const failed = await addOne(
    table,
    { customerId, kind: 'webhooks', limit, also: botId === null ? hooksChange(webhook, format) : undefined },
    ...putWebhook(webhook),
    ...(botId === null ? [] : [ownerWrite(webhook, webhook)]),
    ...filterChecks(webhook, webhook),
  );
  if (typeof failed === 'string') return failed;
  return failed.length === 0 ? null : 'unknown_reference';
};

/** Returns the item that leads to a deleted webhook's data for as long as the deliveries are kept. */
const formerWebhook = ({ customerId, id: webhookId }: WebhookKey, now: number): Write => ({
  put: { ...items.formerWebhook({ customerId, webhookId }), ttl: Math.ceil((now + 2 * DELIVERY_RETENTION) / 1_000) },
});

/** The writes by the webhook owner. For the writes from attempts, see health.ts. */
const webhookWrites = (table: Table) => ({
  create: (webhook: WebhookRecord, limit: number) => createWebhook(table, webhook, limit),

  /**
   * Replaces the fields the owner can edit, and leaves alone what attempts are writing. A new secret, or null to remove
   * it, takes effect at once and ends any overlap, so that a leaked secret can no longer sign anything. To get an
   * overlap, rotate the secret (secrets.ts).
   */
  replace: async (
    before: WebhookRecord,
    update: WebhookUpdate & Pick<WebhookRecord, 'isLoopbackDenied'>,
    updateDate: number,
  ): Promise<'changed' | 'unknown_reference' | null> => {
    const { customerId, id: webhookId } = before;
    const { isEnabled: _, ...fields } = update;
    const { set, remove } = stateChanges(update, before, updateDate);
    const overlap = fields.secretKey === undefined ? [] : ['previousSecret', 'previousUntil'];
    const replacing = changes({
      set: { ...fields, ...set, updateDate },
      remove: [...remove, ...overlap],
      if: sameOwner(before),
    });
    const isUnlisted = before.botId === null && fields.botId !== null;
    const failed = await table.write(
      { update: items.webhook({ customerId, webhookId }), changes: replacing },
      ownerWrite(before, fields),
      ...(isUnlisted ? [hooksWrite(before, null)] : []),
      ...filterChecks(before, fields),
    );
    if (failed === null) return null;
    return failed.includes(0) ? 'changed' : 'unknown_reference';
  },

  /**
   * Replaces the token, starting with the next attempt. Returns false if the webhook has another owner or was deleted.
   */
  setToken: async (webhook: WebhookRecord, token: string, updateDate: number): Promise<boolean> => {
    const { customerId, id: webhookId } = webhook;
    const update = changes({ set: { token, updateDate }, if: sameOwner(webhook) });
    return (await table.update(items.webhook({ customerId, webhookId }), update)) !== null;
  },

  /** Deletes a webhook. Returns false if it has another owner or was already deleted. */
  remove: async (webhook: WebhookRecord, now: number): Promise<boolean> => {
    const { customerId, id: webhookId, botId } = webhook;
    const failed = await removeOne(
      table,
      { customerId, kind: 'webhooks', also: botId === null ? hooksChange(webhook, null) : undefined },
      { remove: items.webhook({ customerId, webhookId }), where: sameOwner(webhook) },
      { remove: items.owner({ kind: 'webhook', id: webhookId }) },
      formerWebhook(webhook, now),
    );
    return failed.length === 0;
  },

  /** Deletes a webhook whose customer was deleted, and the item naming the webhook owner. */
  forget: async (webhook: WebhookRecord, now: number): Promise<void> => {
    const { customerId, id: webhookId } = webhook;
    const owner = items.owner({ kind: 'webhook', id: webhookId });
    await table.write(
      { remove: items.webhook({ customerId, webhookId }) },
      { remove: owner },
      formerWebhook(webhook, now),
    );
  },
});

export const webhooks = (table: Table) => ({ ...webhookReads(table), ...webhookWrites(table) });
