import { GRACE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { JobKind } from '#shared/domain/identity/job-kinds.ts';
import type { Task } from '#shared/queue/task.ts';
import type { Key } from '../key.ts';
import { DATA_VERSION, DUE_SHARDS, due as dueIndex, items } from '../table.ts';
import type { Table, TableReader } from './client.ts';
import { type NotedVersion, nextVersion } from './data-version.ts';
import { changes, type Item } from './request.ts';

const shardOf = (id: string): number =>
  [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0) % DUE_SHARDS;

/** Attributes that put an item into the due index: from `time` (ms) on, the sweep puts it on its queue. */
export const dueAt = (id: string, time: number) => dueIndex({ shard: shardOf(id), time: Math.max(0, Math.ceil(time)) });

/** The same of a delivery: where no task waits for it, nothing else tells which call it follows from. */
export const dueDelivery = ({ id, requestId }: { id: string; requestId?: string }, time: number) => ({
  ...dueAt(id, time),
  ...(requestId !== undefined && { requestId }),
});

/** The value of a condition that an item was due before `time` (ms). */
export const dueBefore = (time: number) => ({ before: dueIndex.sk({ time }) });

/** How long (ms) the sweep leaves an item alone whose task is on a queue. */
export const GRACE = GRACE_SECONDS * 1_000;

/** Names to REMOVE when an item is finished. */
export const dueNames = ['duePk', 'dueAt'] as const;

/** A task that waits in the due index, and when it is due (ms). */
export type Due = { task: Task; time: number };

/** The task of an item by its keys, which are all that the index holds; null for an item of another kind. */
const taskOf = (key: Key): Task | null => {
  const notice = items.notice.read(key);
  if (notice) return { type: 'process_notice', ...notice, customerId: Number(notice.customerId) };
  const state = items.sensorState.read(key);
  if (state) return { type: 'check_sensor', ...state, customerId: Number(state.customerId) };
  const webhook = items.webhook.read(key);
  if (webhook) return { type: 'release_held', ...webhook, customerId: Number(webhook.customerId) };
  const replay = items.replay.read(key);
  if (replay) return { type: 'step_replay', ...replay, customerId: Number(replay.customerId) };
  const job = items.dataJob.read(key);
  if (job) return { type: 'run_job', ...job, customerId: Number(job.customerId), kind: job.kind as JobKind };
  const hit = items.ruleHit.read(key);
  if (hit) return { type: 'escalate', customerId: Number(hit.customerId), hitId: Number(hit.hitId) };
  const delivery = items.delivery.read(key);
  const first = { type: 'deliver', isRetry: false, notBefore: 0 } as const;
  if (delivery) return { ...first, ...delivery, customerId: Number(delivery.customerId) };
  const toPerson = items.personDelivery.read(key);
  return toPerson && { ...first, ...toPerson, webhookId: null, customerId: Number(toPerson.customerId) };
};
const dueOf = (key: Key & { dueAt: string }): Due[] => {
  const task = taskOf(key);
  const time = Number(key.dueAt);
  if (task?.type === 'process_notice') return [{ task: { ...task, receiveDate: Math.max(0, time - GRACE) }, time }];
  return task ? [{ task, time }] : [];
};

/** How many items of a shard are read before the next shard has its turn. */
const SHARE = 500;
/** The last item that was read of each shard that was not read to its end. */
type Left = Record<string, Item>;
type ShardCursor = { shard: number; after?: Item | undefined };

/** A cursor in every shard, that of `first` before the others: where it was left, else its beginning. */
const cursorsFrom = (first: number, left: Left): ShardCursor[] =>
  Array.from({ length: DUE_SHARDS }, (_, at) => {
    const shard = (first + at) % DUE_SHARDS;
    return { shard, after: left[shard] };
  });

/**
 * The heartbeat: when (ms) a sweep last noted that the service runs, since when it has run without a gap, the number of
 * that sweep, where it stopped, when dead letters are put back next, and the form in which items may be written.
 */
type Heartbeat = NotedVersion & { at: number; since: number; sweep?: number; left?: Left; redriveAt?: number };

export const dueReads = (table: TableReader) => ({
  /** Since when (ms) the service has been there without a gap of more than `longestGap` ms; `now` when it is back just now. */
  upSince: async (now: number, longestGap: number): Promise<number> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    return last && now - last.at <= longestGap ? last.since : now;
  },

  /** When (ms) a sweep last noted that the service runs, or up to a second before that; null: none ever did. */
  lastBeat: async (): Promise<number | null> => (await table.get<Heartbeat>(items.heartbeat({}), false))?.at ?? null,

  /**
   * The items that are due before `until` (ms), page by page: one page of each shard in turn, so that no shard starves
   * behind the backlog of another. The price grows with the backlog, not with the history. `cursors` is kept up to date:
   * when the caller stops, it says where to go on. A shard that fails is left out: `onFailure` is told.
   */
  waiting: async function* (
    until: number,
    cursors = cursorsFrom(0, {}),
    onFailure: (error: unknown) => void = (error) => {
      throw error;
    },
  ): AsyncGenerator<Due[]> {
    const between = [dueIndex.sk({ time: 0 }), dueIndex.sk({ time: until })] as const;
    for (let cursor = cursors.shift(); cursor; cursor = cursors.shift()) {
      const { shard } = cursor;
      // DynamoDB refuses a start outside of the range, which happens after a clock was set back.
      const startAfter = String(cursor.after?.dueAt) <= between[1] ? cursor.after : undefined;
      const query = { index: 'due', pk: dueIndex.pk({ shard }), between, limit: SHARE, startAfter } as const;
      const page = await table.query<Key & { dueAt: string }>(query).catch(onFailure);
      if (page?.next) cursors.push({ shard, after: page.next });
      yield page?.items.flatMap(dueOf) ?? [];
    }
  },
});

/** How often (ms) dead letters are put back. They have failed for a day already. */
const REDRIVE_EVERY = 15 * 60_000;

const dueWrites = (table: Table) => ({
  /**
   * Notes that the service runs; a last note of more than `longestGap` ms ago means that it was away until now. Returns
   * since when (ms) it has been there; the cursors of this sweep, which begins with another shard than the sweep before,
   * even if that one died; whether this sweep has to put back dead letters, as one in a quarter of an hour does; and
   * whether a newer version of the code has written data that this version does not understand.
   */
  beat: async (
    now: number,
    longestGap: number,
  ): Promise<{ since: number; cursors: ShardCursor[]; isToRedrive: boolean; isOutdated: boolean }> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    // A clock that was set back must not hide silence until it is as late again.
    const since = last && now - last.at <= longestGap ? Math.min(last.since, now) : now;
    const { sweep = 0, left = {}, redriveAt = 0 } = last ?? {};
    const isToRedrive = redriveAt <= now;
    const next = isToRedrive ? now + REDRIVE_EVERY : redriveAt;
    const version = nextVersion(last, now);
    const noted: Heartbeat = { at: now, since, sweep: sweep + 1, redriveAt: next, ...version };
    await table.write({ put: { ...items.heartbeat({}), ...noted } });
    return { since, cursors: cursorsFrom(sweep, left), isToRedrive, isOutdated: version.dataVersion > DATA_VERSION };
  },

  /** Notes where the next sweep goes on. */
  leave: async (cursors: readonly ShardCursor[]): Promise<void> => {
    const left: Left = Object.fromEntries(cursors.flatMap(({ shard, after }) => (after ? [[shard, after]] : [])));
    await table.update(items.heartbeat({}), changes({ set: { left } }));
  },
});

export const due = (table: Table) => ({ ...dueReads(table), ...dueWrites(table) });
