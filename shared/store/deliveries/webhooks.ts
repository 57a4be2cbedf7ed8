import { KEPT } from '#shared/domain/delivery/delivery.ts';
import type { EventFilters } from '#shared/domain/delivery/event-filters.ts';
import { isPosted, SILENT_AFTER } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord, WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import type { Format } from '#shared/domain/formats/format.ts';
import { giveOne, takeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt } from '../engine/due.ts';
import { type Condition, changes, present, type Write, where } from '../engine/request.ts';
import { namingGroup } from '../sensors/naming-group.ts';
import { items } from '../table.ts';

export const webhookReads = (table: TableReader) => ({
  get: (customerId: number, webhookId: string) => table.get<WebhookRecord>(items.webhook({ customerId, webhookId })),
  getAll: (customerId: number, webhookIds: readonly string[]) =>
    table.getAll<WebhookRecord>(webhookIds.map((webhookId) => items.webhook({ customerId, webhookId }))),
  list: (customerId: number) =>
    table.queryAll<WebhookRecord>({ pk: items.webhook.pk({ customerId }), beginsWith: 'WEBHOOK#' }),
});

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;

/** The customer's own list of what gets every event: the webhook with its format, or (null) without it. */
const inList = ({ id }: WebhookKey, format: Format | null) => ({
  UpdateExpression: format === null ? 'REMOVE hooks.#id' : 'SET hooks.#id = :format',
  ExpressionAttributeNames: { '#id': id },
  ...(format !== null && { ExpressionAttributeValues: { ':format': format } }),
});
const listing = (place: WebhookKey, format: Format | null): Write => ({
  update: items.customer({ customerId: place.customerId }),
  changes: { ...inList(place, format), ...present },
});

/** The group that the filter of a webhook names must be there. */
const filtering = (
  { customerId }: Pick<WebhookRecord, 'customerId'>,
  { sensorGroupId }: Partial<EventFilters>,
): Write[] => (typeof sensorGroupId === 'number' ? [namingGroup(customerId, sensorGroupId)] : []);

/** What a webhook needs besides itself: its bot, or a line in the customer's list. */
const belonging = (place: WebhookKey, { botId, format }: Pick<WebhookRecord, 'botId' | 'format'>): Write =>
  botId === null
    ? listing(place, format)
    : { check: items.bot({ customerId: place.customerId, botId }), where: present };

/** The condition that the webhook still has the owner by which the caller's right to change it was checked. */
const sameOwner = ({ botId }: WebhookRecord): Condition =>
  botId === null ? where('#isCustomerHook = :yes', { yes: true }) : where('#botId = :owner', { owner: botId });

/** The attributes about a receiver's health, besides the number of its failures. */
const HEALTH = [
  'failingSince',
  'goneSince',
  'warnedAt',
  'openUntil',
  'probeUntil',
  'probeUntilToken',
  'slowUntil',
] as const;
/**
 * Only what was off is switched on, and starts anew: staying on must not undo that it switches itself off meanwhile.
 * With another URL it always starts anew: whatever was counted, and switched it off, was of another receiver.
 */
const switching = ({ isEnabled, url }: WebhookUpdate, before: WebhookRecord, now: number) => {
  const isMoved = url !== before.url;
  const isOn = isEnabled && (isMoved || !before.isEnabled);
  const isAnew = isMoved || isOn;
  // What waited to be fetched is posted now; or what is held is fetched, and somebody has to fetch from now on.
  const isDue = (isMoved && before.url === null) || (isAnew && url === null);
  return {
    set: {
      ...(isAnew && { consecutiveFailures: 0 }),
      ...(isOn && { isEnabled, disabledReason: null }),
      ...(!isEnabled && { isEnabled }),
      ...(isDue && dueAt(before.id, now)),
    },
    remove: isAnew ? HEALTH : [],
  };
};

/** The writes of a new webhook. */
export const putWebhook = (webhook: WebhookRecord): Write[] => {
  const { customerId, id: webhookId } = webhook;
  const watched = !isPosted(webhook) && dueAt(webhookId, webhook.createDate + SILENT_AFTER);
  return [
    { put: { ...webhook, ...items.webhook({ customerId, webhookId }), ...watched } },
    { put: { ...items.owner({ kind: 'webhook', id: webhookId }), customerId } },
  ];
};

/** Creates a webhook, if its customer, which has fewer than `most`, its bot and the group of its filter are there. */
const createWebhook = async (
  table: Table,
  webhook: WebhookRecord,
  most: number,
): Promise<'unknown_reference' | 'customer_unknown' | 'limit_reached' | null> => {
  const { customerId, botId, format } = webhook;
  const failed = await giveOne(
    table,
    { customerId, kind: 'webhooks', most, also: botId === null ? inList(webhook, format) : undefined },
    ...putWebhook(webhook),
    ...(botId === null ? [] : [belonging(webhook, webhook)]),
    ...filtering(webhook, webhook),
  );
  if (typeof failed === 'string') return failed;
  return failed.length === 0 ? null : 'unknown_reference';
};

/** What a deleted webhook left is found by this, for as long as its deliveries are kept. */
const formerWebhook = ({ customerId, id: webhookId }: WebhookKey, now: number): Write => ({
  put: { ...items.formerWebhook({ customerId, webhookId }), ttl: Math.ceil((now + 2 * KEPT) / 1_000) },
});

/** What its owner does with a webhook; what attempts leave at it is in health.ts. */
const webhookWrites = (table: Table) => ({
  create: (webhook: WebhookRecord, most: number) => createWebhook(table, webhook, most),

  /**
   * Replaces what its owner says of a webhook; what attempts count and write meanwhile stays. A secret that is named, or
   * removed by null, is the only one at once: whoever wants an overlap rotates it (secrets.ts), and one that is under way
   * ends, so that a secret which must go signs nothing more.
   */
  replace: async (
    before: WebhookRecord,
    update: WebhookUpdate,
    updateDate: number,
  ): Promise<'changed' | 'unknown_reference' | null> => {
    const { customerId, id: webhookId } = before;
    const { isEnabled: _, ...given } = update;
    const { set, remove } = switching(update, before, updateDate);
    const overlap = given.secretKey === undefined ? [] : ['previousSecret', 'previousUntil'];
    const replacing = changes({
      set: { ...given, ...set, updateDate },
      remove: [...remove, ...overlap],
      if: sameOwner(before),
    });
    const isUnlisted = before.botId === null && given.botId !== null;
    const failed = await table.write(
      { update: items.webhook({ customerId, webhookId }), changes: replacing },
      belonging(before, given),
      ...(isUnlisted ? [listing(before, null)] : []),
      ...filtering(before, given),
    );
    if (failed === null) return null;
    return failed.includes(0) ? 'changed' : 'unknown_reference';
  },

  /** A new token, from the next attempt on; false when the webhook belongs to somebody else by now, or is gone. */
  setToken: async (webhook: WebhookRecord, token: string, updateDate: number): Promise<boolean> => {
    const { customerId, id: webhookId } = webhook;
    const update = changes({ set: { token, updateDate }, if: sameOwner(webhook) });
    return (await table.update(items.webhook({ customerId, webhookId }), update)) !== null;
  },

  /** Deletes a webhook. False when it has another owner by now, or is gone. */
  remove: async (webhook: WebhookRecord, now: number): Promise<boolean> => {
    const { customerId, id: webhookId, botId } = webhook;
    const failed = await takeOne(
      table,
      { customerId, kind: 'webhooks', also: botId === null ? inList(webhook, null) : undefined },
      { remove: items.webhook({ customerId, webhookId }), where: sameOwner(webhook) },
      { remove: items.owner({ kind: 'webhook', id: webhookId }) },
      formerWebhook(webhook, now),
    );
    return failed.length === 0;
  },

  /** Deletes a webhook of a deleted customer, and the item that names its customer. */
  forget: async (webhook: WebhookRecord, now: number): Promise<void> => {
    const { customerId, id: webhookId } = webhook;
    const home = items.owner({ kind: 'webhook', id: webhookId });
    await table.write(
      { remove: items.webhook({ customerId, webhookId }) },
      { remove: home },
      formerWebhook(webhook, now),
    );
  },
});

export const webhooks = (table: Table) => ({ ...webhookReads(table), ...webhookWrites(table) });
