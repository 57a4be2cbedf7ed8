import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import type { ReplayRecord } from '#shared/domain/delivery/replay.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import { putDelivery } from './delivery-item.ts';
import { endHeld } from './held.ts';

/** How long (ms) a replay is kept: longer than the deliveries in it. */
const KEPT = 60 * 86_400_000;

type ReplayKey = Pick<ReplayRecord, 'customerId' | 'webhookId' | 'id'>;
const replayKey = ({ customerId, webhookId, id: replayId }: ReplayKey) =>
  items.replay({ customerId, webhookId, replayId });
const running = where('#state = :running', { running: 'running' });

/** Returns the ids of replays still running. A replay that has ended never runs again. */
const runningOf = async (table: TableReader, key: ReplayKey, ids: readonly string[]): Promise<string[]> => {
  const found = await table.getAll<ReplayRecord>(
    ids.map((id) => replayKey({ ...key, id })),
    true,
  );
  return found.filter(({ state }) => state === 'running').map(({ id }) => id);
};

export const replayReads = (table: TableReader) => ({
  get: (customerId: number, webhookId: string, replayId: string) =>
    table.get<ReplayRecord>(items.replay({ customerId, webhookId, replayId })),

  /** Returns a webhook's running replays and its newest replay in any state, newest first. */
  current: async ({ customerId, id: webhookId, replays = [] }: WebhookRecord): Promise<ReplayRecord[]> => {
    const keys = replays.map((replayId) => items.replay({ customerId, webhookId, replayId }));
    const found = keys.length > 0 ? await table.getAll<ReplayRecord>(keys) : [];
    const shown = found.filter(({ id, state }) => state === 'running' || id === replays.at(-1));
    return shown.toSorted((a, b) => b.createDate - a.createDate);
  },
});

const replayWrites = (table: Table) => ({
  /** Creates a replay whose first step is due, if the webhook exists and has fewer than `limit` running replays. */
  create: (replay: ReplayRecord, limit: number): Promise<'done' | 'webhook_gone' | 'limit_reached'> =>
    retryOnConflict(async () => {
      const { customerId, webhookId, id, createDate } = replay;
      const key = items.webhook({ customerId, webhookId });
      const webhook = await table.get<{ replays?: string[] }>(key);
      if (!webhook) return 'webhook_gone';
      const running = await runningOf(table, replay, webhook.replays ?? []);
      if (running.length >= limit) return 'limit_reached';
      const unchanged = webhook.replays
        ? where('#replays = :seen', { seen: webhook.replays })
        : where('attribute_exists(pk) AND attribute_not_exists(#replays)');
      const ttl = Math.ceil((createDate + KEPT) / 1_000);
      const failed = await table.write(
        { put: { ...replay, ...replayKey(replay), ...dueAt(id, createDate), ttl }, where: absent },
        { update: key, changes: changes({ set: { replays: [...running, id] }, if: unchanged }) },
      );
      return failed === null ? 'done' : null;
    }),

  /**
   * Writes and counts one delivery in a running replay, once. Returns false if the delivery already exists, or the
   * replay has ended. If the original delivery is held, it ends in the same transaction. If it was just released,
   * nothing is written, because it will be sent anyway.
   */
  add: async (replay: ReplayKey, delivery: WebhookDelivery, original: WebhookDelivery, now: number) => {
    const count = { update: replayKey(replay), changes: changes({ add: { made: 1 }, if: running }) };
    const endOriginal = original.state === 'held' ? endHeld(original, 'replayed', now) : [];
    return (await table.write(putDelivery(delivery, true), count, ...endOriginal)) === null;
  },

  /**
   * Ends a step; the next one is due at `time` (ms). Returns false if another step came first, or the replay has ended.
   */
  advance: async (
    replay: ReplayRecord,
    to: Pick<ReplayRecord, 'cursor' | 'isListed' | 'pacedUntil'>,
    time: number,
  ): Promise<boolean> => {
    const { id, step } = replay;
    const same = where('#step = :before AND #state = :running', { before: step, running: 'running' });
    const { cursor, isListed, pacedUntil } = to;
    const set = { cursor, isListed, pacedUntil, step: step + 1, ...dueAt(id, time) };
    return (await table.update(replayKey(replay), changes({ set, if: same }))) !== null;
  },

  /** Pauses or resumes a running replay. Returns the changed replay, or null if it has ended. */
  setPaused: async (replay: ReplayKey, isPaused: boolean, now: number): Promise<ReplayRecord | null> => {
    const set = { isPaused, updateDate: now, ...(!isPaused && dueAt(replay.id, now)) };
    const remove = isPaused ? dueAttributes : [];
    const change = changes({ set, remove, if: running }, 'ALL_NEW');
    return (await table.update(replayKey(replay), change)) as ReplayRecord | null;
  },

  /** Ends a running replay. A canceled replay stays due, so that its deliveries are ended too. */
  finish: async (replay: ReplayKey, state: 'completed' | 'canceled', now: number): Promise<boolean> => {
    const set = { state, updateDate: now, ...(state === 'canceled' && dueAt(replay.id, now)) };
    const remove = state === 'canceled' ? [] : dueAttributes;
    return (await table.update(replayKey(replay), changes({ set, remove, if: running }))) !== null;
  },

  /** Removes an ended or paused replay from the due index. */
  close: async (replay: ReplayKey): Promise<void> => {
    await table.update(replayKey(replay), changes({ remove: dueAttributes, if: present }));
  },
});

export const replays = (table: Table) => ({ ...replayReads(table), ...replayWrites(table) });
