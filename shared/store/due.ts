import { GRACE_SECONDS } from '../domain/delivery.ts';
import type { Table, TableReader } from './client.ts';
import type { Key } from './key.ts';
import { changes, type Item } from './request.ts';
import { DATA_VERSION, DUE_SHARDS, due as dueIndex, items } from './table.ts';

const shardOf = (id: string): number =>
  [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0) % DUE_SHARDS;

/** Attributes that put an item into the due index: from `time` (ms) on, the sweep puts it on its queue. */
export const dueAt = (id: string, time: number) => ({
  duePk: dueIndex.shard({ shard: shardOf(id) }),
  dueAt: dueIndex.at({ time: Math.max(0, Math.ceil(time)) }),
});

/** The value of a condition that an item was due before `time` (ms). */
export const dueBefore = (time: number) => ({ before: dueIndex.at({ time }) });

/** What is on a queue too is left alone by the sweep for this long, ms. */
export const GRACE = GRACE_SECONDS * 1_000;

/** Names to REMOVE when an item is finished. */
export const dueNames = ['duePk', 'dueAt'] as const;

/** What waits, and when it is due (ms). */
export type Waiting =
  | { kind: 'notice'; customerId: number; sensorId: string; uuid: string; time: number }
  | { kind: 'sensor'; customerId: number; sensorId: string; time: number }
  | { kind: 'job'; customerId: number; webhookId: string; job: string; time: number }
  | { kind: 'delivery'; customerId: number; webhookId: string; deliveryId: string; time: number };

const waitingOf = (key: Key & { dueAt: string }): Waiting | null => {
  const time = Number(key.dueAt);
  const notice = items.notice.read(key);
  if (notice) return { kind: 'notice', ...notice, customerId: Number(notice.customerId), time };
  const state = items.sensorState.read(key);
  if (state) return { kind: 'sensor', ...state, customerId: Number(state.customerId), time };
  const webhook = items.webhook.read(key);
  if (webhook) return { kind: 'job', ...webhook, customerId: Number(webhook.customerId), job: 'held', time };
  const replay = items.replay.read(key);
  if (replay) return { kind: 'job', ...replay, customerId: Number(replay.customerId), job: replay.replayId, time };
  const delivery = items.delivery.read(key);
  return delivery && { kind: 'delivery', ...delivery, customerId: Number(delivery.customerId), time };
};

/** Items of a shard that are looked at before the next shard has its turn. */
const SHARE = 500;
/** The last item seen, by the shard that was not looked at to its end. */
type Left = Record<string, Item>;
type ShardCursor = { shard: number; after?: Item | undefined };

/** A cursor in every shard, that of `first` before the others: where it was left, else its beginning. */
const cursorsFrom = (first: number, left: Left): ShardCursor[] =>
  Array.from({ length: DUE_SHARDS }, (_, at) => {
    const shard = (first + at) % DUE_SHARDS;
    return { shard, after: left[shard] };
  });

/**
 * When (ms) a sweep last noted that the service is there, since when without a gap, which sweep it was, what it left, and
 * when dead letters are put back next; and the newest DATA_VERSION that wrote in this table.
 */
type Heartbeat = { at: number; since: number; sweep?: number; left?: Left; redriveAt?: number; dataVersion?: number };

export const dueReads = (table: TableReader) => ({
  /** Since when (ms) the service has been there without a gap of more than `longestGap` ms; `now` when it is back just now. */
  upSince: async (now: number, longestGap: number): Promise<number> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    return last && now - last.at <= longestGap ? last.since : now;
  },

  /**
   * What waits since before `until` (ms), page by page: one of each shard in turn, so that none starves behind another's
   * backlog. Its size is that of the backlog, not of the history. `cursors` is where to look, and is kept up to date: what
   * is left in it when the caller stops is where to go on.
   */
  waiting: async function* (until: number, cursors = cursorsFrom(0, {})): AsyncGenerator<Waiting[]> {
    const between = [dueIndex.at({ time: 0 }), dueIndex.at({ time: until })] as const;
    for (let cursor = cursors.shift(); cursor; cursor = cursors.shift()) {
      const { shard } = cursor;
      // A start that is not within the range, as after a clock was set back, is an error.
      const startAfter = String(cursor.after?.dueAt) <= between[1] ? cursor.after : undefined;
      const query = { index: 'due', pk: dueIndex.shard({ shard }), between, limit: SHARE, startAfter } as const;
      const page = await table.query<Key & { dueAt: string }>(query);
      if (page.next) cursors.push({ shard, after: page.next });
      yield page.items.map(waitingOf).filter((one) => one !== null);
    }
  },
});

/** Dead letters have failed for a day: it is early enough, ms. */
const REDRIVE_EVERY = 15 * 60_000;

export const dueWrites = (table: Table) => ({
  /**
   * Notes that the service is there; when that was noted more than `longestGap` ms ago, it was away until now. Gives the
   * cursors where this sweep is to look: each begins with another shard than the one before, also when that one died. And
   * whether it is to put back dead letters, as one sweep in a quarter of an hour is; and whether a newer version of the
   * code has changed what is stored, so that this one does not understand all of it.
   */
  beat: async (
    now: number,
    longestGap: number,
  ): Promise<{ cursors: ShardCursor[]; isToRedrive: boolean; isOutdated: boolean }> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    const since = last && now - last.at <= longestGap ? last.since : now;
    const { sweep = 0, left = {}, redriveAt = 0, dataVersion = DATA_VERSION } = last ?? {};
    const isToRedrive = redriveAt <= now;
    const next = isToRedrive ? now + REDRIVE_EVERY : redriveAt;
    const newest = Math.max(dataVersion, DATA_VERSION);
    const noted: Heartbeat = { at: now, since, sweep: sweep + 1, redriveAt: next, dataVersion: newest };
    await table.write({ put: { ...items.heartbeat({}), ...noted } });
    return { cursors: cursorsFrom(sweep, left), isToRedrive, isOutdated: newest > DATA_VERSION };
  },

  /** Notes where the next sweep goes on. */
  leave: async (cursors: readonly ShardCursor[]): Promise<void> => {
    const left: Left = Object.fromEntries(cursors.flatMap(({ shard, after }) => (after ? [[shard, after]] : [])));
    await table.update(items.heartbeat({}), changes({ set: { left } }));
  },
});

export const due = (table: Table) => ({ ...dueReads(table), ...dueWrites(table) });
