import { GRACE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { BackgroundKind } from '#shared/domain/identity/job-kinds.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { Task } from '#shared/queue/task.ts';
import type { Key } from '../key.ts';
import { DATA_VERSION, DUE_SHARDS, due as dueIndex, items } from '../table.ts';
import type { Table, TableReader } from './client.ts';
import { nextVersion, type RecordedVersion } from './data-version.ts';
import { changes, type Item } from './request.ts';

const shardOf = (id: string): number =>
  [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0) % DUE_SHARDS;

/** Returns the attributes that put an item into the due index. From `time` (ms) on, the sweep queues its task. */
export const dueAt = (id: string, time: number) => dueIndex({ shard: shardOf(id), time: Math.max(0, Math.ceil(time)) });

/** Returns the same attributes for a delivery. The item carries the request id until a task does. */
export const dueDelivery = ({ id, requestId }: { id: string; requestId?: string }, time: number) => ({
  ...dueAt(id, time),
  ...(requestId !== undefined && { requestId }),
});

/** Returns the value for conditions such as `#dueAt < :before`, from a `time` in ms. */
export const dueBefore = (time: number) => ({ before: dueIndex.sk({ time }) });

/** How long (ms) the sweep ignores an item whose task is in a queue. */
export const GRACE_MS = GRACE_SECONDS * 1_000;

/** The attributes to remove when an item is finished. */
export const dueAttributes = ['duePk', 'dueAt'] as const;

/** The task for an item in the due index, and when it is due (ms). */
export type Due = { task: Task; time: number };

/** Returns the task for an item, given the key, which is all the index holds. Returns null for other kinds of items. */
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
  if (job) return { type: 'run_job', ...job, customerId: Number(job.customerId), kind: job.kind as BackgroundKind };
  const hit = items.ruleHit.read(key);
  if (hit) return { type: 'escalate', customerId: Number(hit.customerId), hitId: Number(hit.hitId) };
  const alarm = items.unnotified.read(key);
  if (alarm) return { type: 'alert_managers', customerId: Number(alarm.customerId) };
  const delivery = items.delivery.read(key);
  const first = { type: 'deliver', isRetry: false, notBefore: 0 } as const;
  if (delivery) return { ...first, ...delivery, customerId: Number(delivery.customerId) };
  const toPerson = items.personDelivery.read(key);
  return toPerson && { ...first, ...toPerson, webhookId: null, customerId: Number(toPerson.customerId) };
};
const dueItems = (key: Key & { dueAt: string }): Due[] => {
  const task = taskOf(key);
  const time = Number(key.dueAt);
  if (task?.type === 'process_notice') return [{ task: { ...task, receiveDate: Math.max(0, time - GRACE_MS) }, time }];
  return task ? [{ task, time }] : [];
};

/** How many items are read from a shard before moving on to the next. */
const PAGE_SIZE = 500;
/** The last item read from each shard that was not read to the end. */
type Unfinished = Record<string, Item>;
type ShardCursor = { shard: number; after?: Item | undefined };

/** Returns a cursor for every shard, starting with `first`: where the last sweep stopped, or at the beginning. */
const cursorsFrom = (first: number, unfinished: Unfinished): ShardCursor[] =>
  Array.from({ length: DUE_SHARDS }, (_, at) => {
    const shard = (first + at) % DUE_SHARDS;
    return { shard, after: unfinished[shard] };
  });

/**
 * The heartbeat: when (ms) a sweep last recorded that the service is running, since when it has run without a gap, and
 * the sweep number. It also records where the sweep stopped (`left`), when dead letters are next redriven, the data
 * version, and by how much (ms) the clock was set back, until a sweep has acted on it.
 */
type Heartbeat = RecordedVersion & {
  at: number;
  since: number;
  sweep?: number;
  left?: Unfinished;
  redriveAt?: number;
  setBack?: number;
};

export const dueReads = (table: TableReader) => ({
  /**
   * Returns the time (ms) since which the service has run without a gap longer than `longestGap` ms, or `now` if it has
   * just come back.
   */
  upSince: async (now: number, longestGap: number): Promise<number> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    return last && now - last.at <= longestGap ? last.since : now;
  },

  /**
   * Returns when (ms) a sweep last recorded a heartbeat, or null if none ever has. May be up to a second out of date.
   */
  lastHeartbeat: async (): Promise<number | null> =>
    (await table.get<Heartbeat>(items.heartbeat({}), false))?.at ?? null,

  /**
   * Yields the items due before `until` (ms), one page from each shard in turn, so that a backlog in one shard does not
   * starve the others. The cost grows with the backlog, not with the history. `cursors` is kept up to date: when the
   * caller stops, it shows where to continue. A failing shard is skipped and reported to `onFailure`.
   */
  pages: async function* (
    until: number,
    cursors = cursorsFrom(0, {}),
    onFailure: (error: unknown) => void = (error) => {
      throw error;
    },
  ): AsyncGenerator<Due[]> {
    const between = [dueIndex.sk({ time: 0 }), dueIndex.sk({ time: until })] as const;
    for (let cursor = cursors.shift(); cursor; cursor = cursors.shift()) {
      const { shard } = cursor;
      // DynamoDB rejects a start outside the range, as can occur after a clock was set back.
      const startAfter = String(cursor.after?.dueAt) <= between[1] ? cursor.after : undefined;
      const query = { index: 'due', pk: dueIndex.pk({ shard }), between, limit: PAGE_SIZE, startAfter } as const;
      const page = await table.query<Key & { dueAt: string }>(query).catch(onFailure);
      if (page?.next) cursors.push({ shard, after: page.next });
      yield page?.items.flatMap(dueItems) ?? [];
    }
  },
});

/** How often (ms) dead letters are redriven. They have been failing for a day already. */
const REDRIVE_EVERY = 15 * 60_000;

const dueWrites = (table: Table) => ({
  /**
   * Records a heartbeat. If the last one is more than `longestGap` ms old, the service was down until now. Returns the
   * time (ms) since which it has been running; the cursors for this sweep, which start at a different shard than the
   * last sweep, even if that sweep died; whether this sweep has to redrive dead letters, which happens every 15
   * minutes; whether a newer code version has written data unknown to this version; and, until `endSetBack` is called,
   * by how much (ms) the clock was set back.
   */
  recordHeartbeat: async (
    now: number,
    longestGap: number,
  ): Promise<{
    since: number;
    cursors: ShardCursor[];
    isToRedrive: boolean;
    isOutdated: boolean;
    setBack: number;
  }> => {
    const last = await table.get<Heartbeat>(items.heartbeat({}));
    // After the clock was set back, a `since` in the future would hide outages until that time comes.
    const since = last && now - last.at <= longestGap ? Math.min(last.since, now) : now;
    const { sweep = 0, left: unfinished = {}, redriveAt = 0 } = last ?? {};
    // A later time was recorded before the clock was set back.
    const isToRedrive = redriveAt <= now || redriveAt > now + REDRIVE_EVERY;
    const next = isToRedrive ? now + REDRIVE_EVERY : redriveAt;
    const version = nextVersion(last, now);
    const setBack = Math.max(last?.setBack ?? 0, last && isFuture(last.at, now) ? last.at - now : 0);
    const unfinishedSetBack = setBack > 0 && { setBack };
    const heartbeat: Heartbeat = {
      at: now,
      since,
      sweep: sweep + 1,
      redriveAt: next,
      ...version,
      ...unfinishedSetBack,
    };
    await table.write({ put: { ...items.heartbeat({}), ...heartbeat } });
    const cursors = cursorsFrom(sweep, unfinished);
    return { since, cursors, isToRedrive, isOutdated: version.dataVersion > DATA_VERSION, setBack };
  },

  /** Records that a sweep has acted on the clock having been set back. */
  endSetBack: async (): Promise<void> =>
    void (await table.update(items.heartbeat({}), changes({ remove: ['setBack'] }))),

  /** Saves where the next sweep continues. */
  saveCursors: async (cursors: readonly ShardCursor[]): Promise<void> => {
    const left: Unfinished = Object.fromEntries(cursors.flatMap(({ shard, after }) => (after ? [[shard, after]] : [])));
    await table.update(items.heartbeat({}), changes({ set: { left } }));
  },
});

export const due = (table: Table) => ({ ...dueReads(table), ...dueWrites(table) });
