import type { ScheduledEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { handler } from '#functions/workers/sweep/handler.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { contextOf, hostOf } from '#test/fixtures/reader.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const MINUTE = 60_000;
const deliveryId = (at: number) => String(at).padStart(26, '0');
const deliver = (at: number, time = NOW - 1_000): Due =>
  some({
    task: { type: 'deliver', customerId: 1, webhookId: 'w', deliveryId: deliveryId(at), isRetry: false, notBefore: 0 },
    time,
  });
const escalateDue = (hitId: number, time = NOW - 1_000): Due =>
  some({ task: { type: 'escalate', customerId: 1, hitId }, time });

type SweepWorld = {
  pages?: readonly Due[][];
  heartbeat?: object;
  /** The queues that reject everything. */
  down?: readonly string[];
  left?: number;
};
/** A sweeping process. */
const startSweep = () => {
  const host = hostOf();
  let time = NOW;
  let current: SweepWorld = {};
  let asked: unknown[][] = [];
  let sent: [queue: string, task: Record<string, unknown>][] = [];
  let redriven = 0;
  const store = {
    due: {
      recordHeartbeat: async (...args: unknown[]) => {
        asked.push(['heartbeat', ...args]);
        const usual = { since: 0, cursors: [], isToRedrive: false, isOutdated: false, setBack: 0 };
        return { ...usual, ...current.heartbeat };
      },
      pages: async function* (...args: unknown[]) {
        asked.push(['pages', args[0], args[1]]);
        for (const page of current.pages ?? []) {
          asked.push(['page']);
          yield page;
        }
      },
      saveCursors: async (...args: unknown[]) => void asked.push(['saveCursors', ...args]),
      endSetBack: async () => void asked.push(['endSetBack']),
    },
    states: { glance: async () => [] },
  };
  const runtime = {
    ...host.runtime,
    now: () => time,
    createStore: () => store,
    queues: {
      send: async (queue: string, messages: readonly { body: string }[]) => {
        if (current.down?.includes(queue)) throw new Error('the queue is away');
        sent.push(...messages.map(({ body }): [string, Record<string, unknown>] => [queue, JSON.parse(body)]));
      },
      redrive: async () => {
        redriven += 1;
      },
      hide: async () => {},
    },
  } as unknown as Runtime;
  const run = handler.with(runtime);
  return async (given: SweepWorld = {}, pass = 0) => {
    time += pass;
    current = given;
    [asked, sent, redriven] = [[], [], 0];
    host.lines.length = 0;
    host.measured.length = 0;
    await run({} as ScheduledEvent, { ...contextOf('one'), getRemainingTimeInMillis: () => given.left ?? 60_000 });
    const measured = host.measured.map(([name, count, labels]) => [name, count, ...(labels ? [labels] : [])]);
    return { asked, sent, redriven, measured, lines: host.lines };
  };
};
const failed = (count: number, kind: string) => ['TasksFailed', count, { worker: 'sweep', kind }];

describe('running a sweep', () => {
  test('tasks for due items are enqueued', async () => {
    const sweep = startSweep();
    const { sent, measured, asked, redriven, lines } = await sweep({
      pages: [[deliver(1), escalateDue(2, NOW - 7_000)]],
    });
    expect(sent.map(([queue, { type }]) => [queue, type])).toEqual([
      ['deliveries', 'deliver'],
      ['timers', 'escalate'],
    ]);
    expect(measured).toEqual([['OldestWaiting', 7]]);
    expect(asked).toEqual([['heartbeat', NOW, expect.any(Number)], ['pages', NOW, []], ['page']]);
    expect(redriven).toBe(0);
    expect(lines).toMatchObject([{ level: 'info', sent: 2, deliveryIds: [deliveryId(1)] }]);
  });

  test('nothing is logged if nothing is due', async () => {
    const { sent, measured, lines } = await startSweep()();
    expect([sent, lines]).toEqual([[], []]);
    expect(measured).toEqual([['OldestWaiting', 0]]);
  });

  test('a delivery is enqueued again only after a pause', async () => {
    const sweep = startSweep();
    const pages = [[deliver(1), escalateDue(2)]];
    await sweep({ pages });
    expect((await sweep({ pages }, 49_999)).sent.map(([queue]) => queue)).toEqual(['timers']);
    expect((await sweep({ pages }, 1)).sent).toHaveLength(2);
  });

  test('a failing queue does not affect the other queues', async () => {
    const sweep = startSweep();
    const pages = [[deliver(1), deliver(2), escalateDue(3)]];
    const first = await sweep({ pages, down: ['deliveries'] });
    expect(first.sent.map(([queue]) => queue)).toEqual(['timers']);
    expect(first.measured).toContainEqual(failed(2, 'queue'));
    expect((await sweep({ pages })).sent).toHaveLength(3);
  });

  test('items more than 15 minutes overdue are counted only once', async () => {
    const sweep = startSweep();
    const old = NOW - 16 * MINUTE;
    const always: Due[] = [
      some({ task: { type: 'release_held', customerId: 1, webhookId: 'w' }, time: old - MINUTE }),
      some({ task: { type: 'step_replay', customerId: 1, webhookId: 'w', replayId: 'r' }, time: old - MINUTE }),
    ];
    const pages = [[...always, escalateDue(1, old)]];
    expect((await sweep({ pages })).measured).toEqual([
      ['OldestWaiting', 960],
      ['TasksOverdue', 1],
    ]);
    expect((await sweep({ pages })).measured).toEqual([['OldestWaiting', 960]]);
  });

  test('the remaining items are left for the next sweep when time runs out', async () => {
    const pages = [[escalateDue(1)], [escalateDue(2)]];
    expect((await startSweep()({ pages, left: 9_999 })).sent).toHaveLength(1);
    expect((await startSweep()({ pages, left: 10_000 })).sent).toHaveLength(2);
  });

  test('page positions are saved for the next sweep', async () => {
    const cursors = [{ shard: 1 }];
    const { asked } = await startSweep()({ heartbeat: { cursors } });
    expect(asked).toContainEqual(['saveCursors', cursors]);
  });

  test('dead letters are returned to the queues when a redrive is due', async () => {
    expect((await startSweep()({ heartbeat: { isToRedrive: true } })).redriven).toBeGreaterThan(0);
  });

  test('data written by a newer version is counted only once', async () => {
    const sweep = startSweep();
    const outdated = { heartbeat: { isOutdated: true } };
    const first = await sweep(outdated);
    expect(first.measured).toContainEqual(failed(1, 'outdated'));
    expect(first.lines).toMatchObject([{ level: 'error' }]);
    expect((await sweep(outdated)).measured).toEqual([['OldestWaiting', 0]]);
    await sweep();
    expect((await sweep(outdated)).measured).toContainEqual(failed(1, 'outdated'));
  });

  test('scheduled tasks are checked first after the clock is set back', async () => {
    const pages = [[escalateDue(1, NOW + 1)]];
    const { asked, sent } = await startSweep()({ pages, heartbeat: { setBack: MINUTE } });
    expect(asked.map(([name]) => name)).toEqual(['heartbeat', 'pages', 'page', 'endSetBack', 'pages', 'page']);
    expect(sent[0]?.[1]).toMatchObject({ setBack: MINUTE });
    const failing = await startSweep()({ pages, heartbeat: { setBack: MINUTE }, down: ['timers'] });
    expect(failing.measured).toContainEqual(failed(1, 'queue'));
    expect(failing.asked.map(([name]) => name)).not.toContain('endSetBack');
    expect(failing.asked.filter(([name]) => name === 'pages')).toHaveLength(2);
  });
});
