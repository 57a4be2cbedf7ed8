import { describe, expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { release } from '#functions/workers/deliver/handler.ts';
import type { ReleaseHeld } from '#shared/queue/task.ts';
import { customerId } from '#test/fixtures/delivery-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';
import { webhook } from '#test/fixtures/webhook-attempts.ts';

const posted = { ...webhook, updateDate: NOW - 3_600_000 };

/** Handles a task that releases what is held or pending for a webhook. Returns the calls of the store. */
const handle = async (of: object | null, task: Partial<ReleaseHeld> = {}, feed: readonly string[] = []) => {
  const { calls, recorded, names } = recordedCalls();
  const store = {
    webhooks: { get: recorded('webhook', () => of) },
    held: {
      correctDue: recorded('correctDue'),
      reserveReleases: recorded('reserve', () => null),
      removeFromDue: recorded('removeFromDue'),
    },
    feeds: { idsToPost: async () => feed, moveToPost: recorded('toPost', () => true) },
    deliveries: {
      getAll: async () => feed.map((id) => ({ id, customerId, webhookId: 'w1', snapshot: { event: {} } })),
    },
    health: { endRelease: recorded('endRelease') },
  };
  const { deps } = stubDeps<DeliverDeps>(store);
  await release(deps, { type: 'release_held', customerId, webhookId: 'w1', ...task }, () => 30_000);
  return { calls, names: names() };
};

describe('a release task', () => {
  test('held deliveries are released while there are any', async () => {
    const { calls, names } = await handle({ ...posted, held: 1 });
    expect(calls[0]).toEqual(['webhook', customerId, 'w1']);
    expect(names).toEqual(['webhook', 'reserve']);
  });

  test('a webhook with nothing left to release leaves the due index', async () => {
    const { calls } = await handle(posted);
    expect(calls.slice(1)).toEqual([['removeFromDue', posted]]);
    expect((await handle({ ...posted, held: 0 })).names).toEqual(['webhook', 'removeFromDue']);
  });

  test('a webhook stays in the due index while its feed is in use', async () => {
    expect((await handle(posted, {}, ['d1'])).names).toEqual(['webhook', 'toPost']);
    expect((await handle({ ...posted, updateDate: NOW })).names).toEqual(['webhook']);
  });

  test('nothing is released for a deleted or disabled webhook', async () => {
    for (const unusable of [null, { ...posted, isEnabled: false, held: 1 }])
      expect((await handle(unusable)).names).toEqual(['webhook']);
  });

  test('the times of held deliveries are corrected if the clock was set back', async () => {
    const { calls } = await handle(posted, { setBack: 5 });
    expect(calls[1]).toEqual(['correctDue', posted, NOW]);
    const disabled = { ...posted, isEnabled: false };
    expect((await handle(disabled, { setBack: 5 })).names).toEqual(['webhook', 'correctDue']);
    expect((await handle(null, { setBack: 5 })).names).toEqual(['webhook']);
  });

  test('deliveries pending since a receiver failed are released step by step', async () => {
    const back = { ...posted, backDate: NOW, pendingSince: NOW - 60_000, held: 1 };
    const task = { back: { date: NOW, isRest: true, after: null, isListed: true } };
    const { calls } = await handle(back, task);
    expect(calls.slice(1)).toEqual([['endRelease', back, NOW]]);
  });
});
