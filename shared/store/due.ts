import { GRACE_SECONDS } from '../domain/delivery.ts';
import type { Table, TableReader } from './client.ts';
import type { Key } from './key.ts';
import { DUE_SHARDS, due, items } from './table.ts';

const shardOf = (id: string): number =>
  [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0) % DUE_SHARDS;

/** Attributes that put an item into the due index: from `time` (ms) on, the sweeper rings for it. */
export const dueAt = (id: string, time: number) => ({
  duePk: due.shard({ shard: shardOf(id) }),
  dueAt: due.at({ time: Math.max(0, Math.ceil(time)) }),
});

/** The value of a condition that an item was due before `time` (ms). */
export const dueBefore = (time: number) => ({ before: due.at({ time }) });

/** Where a bell is rung right away, the sweeper waits this long (ms) before it rings again. */
export const GRACE = GRACE_SECONDS * 1_000;

/** Names to REMOVE when an item is finished. */
export const dueNames = ['duePk', 'dueAt'] as const;

/** What waits: the doorbell's words, and when it is due (ms). */
export type Waiting =
  | { kind: 'event'; customerId: number; sensorId: string; uuid: string; time: number }
  | { kind: 'sensor'; customerId: number; sensorId: string; time: number }
  | { kind: 'job'; customerId: number; webhookId: string; job: string; time: number }
  | { kind: 'delivery'; customerId: number; webhookId: string; deliveryId: string; time: number };

const waitingOf = (key: Key & { dueAt: string }): Waiting | null => {
  const time = Number(key.dueAt);
  const event = items.event.read(key);
  if (event) return { kind: 'event', ...event, customerId: Number(event.customerId), time };
  const state = items.sensorState.read(key);
  if (state) return { kind: 'sensor', ...state, customerId: Number(state.customerId), time };
  const webhook = items.webhook.read(key);
  if (webhook) return { kind: 'job', ...webhook, customerId: Number(webhook.customerId), job: 'held', time };
  const replay = items.replay.read(key);
  if (replay) return { kind: 'job', ...replay, customerId: Number(replay.customerId), job: replay.replayId, time };
  const delivery = items.delivery.read(key);
  return delivery && { kind: 'delivery', ...delivery, customerId: Number(delivery.customerId), time };
};

type Heartbeat = { at: number; since: number };

export const dueReads = (table: TableReader) => ({
  /** Since when (ms) the service has been there without a gap of more than `longestGap` ms; `now` when it is back just now. */
  upSince: async (now: number, longestGap: number): Promise<number> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    return last && now - last.at <= longestGap ? last.since : now;
  },

  /** What waits since before `until` (ms), shard by shard and page by page: the size of the backlog, not of the history. */
  waiting: async function* (until: number): AsyncGenerator<Waiting[]> {
    for (let shard = 0; shard < DUE_SHARDS; shard++) {
      const range = { pk: due.shard({ shard }), between: [due.at({ time: 0 }), due.at({ time: until })] as const };
      let startAfter: Record<string, unknown> | undefined;
      do {
        const page = await table.query<Key & { dueAt: string }>({ index: 'due', ...range, startAfter });
        yield page.items.map(waitingOf).filter((one) => one !== null);
        startAfter = page.next;
      } while (startAfter);
    }
  },
});

export const dueWrites = (table: Table) => ({
  /** Notes that the service is there; when that was noted more than `longestGap` ms ago, it was away until now. */
  beat: async (now: number, longestGap: number): Promise<void> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}), true);
    const since = last && now - last.at <= longestGap ? last.since : now;
    await table.write({ put: { ...items.heartbeat({}), at: now, since } });
  },
});
