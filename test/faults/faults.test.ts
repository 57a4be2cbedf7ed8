import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check } from './check.ts';
import { faults } from './faults.ts';
import { createFaultWorld } from './world.ts';

type World = Awaited<ReturnType<typeof createFaultWorld>>;
let world: World;
beforeAll(async () => {
  world = await createFaultWorld();
});
afterAll(() => world.stop());

describe('nothing that was acknowledged is lost', () => {
  test.each(faults)('%s', async (_, what) => {
    const { lost, unexpected, renamed, pending, duplicated, injected } = await world.run(what, 1);
    expect({ lost, unexpected, renamed, pending }).toEqual({ lost: [], unexpected: [], renamed: [], pending: 0 });
    if (Object.keys(what).length === 0) expect({ duplicated, injected }).toEqual({ duplicated: 0, injected: 0 });
  });
});

describe('the checker', () => {
  const of = { acknowledged: new Set(['a']), posted: new Set(['a', 'b']) };
  const receipt = { uuid: 'a', webhookId: 'w', messageId: '1', at: 0 };
  test('finds what is lost, unless it ended with a reason', () => {
    expect(check(of, ['w'], [], new Set()).lost).toEqual(['a w']);
    expect(check(of, ['w'], [], new Set(['a w'])).lost).toEqual([]);
    expect(check(of, ['w'], [receipt], new Set()).lost).toEqual([]);
  });
  test('finds what nobody sent, what came twice, and what came under two names', () => {
    expect(check(of, ['w'], [{ ...receipt, uuid: 'c' }], new Set()).unexpected).toEqual(['c']);
    expect(check(of, ['w'], [receipt, receipt], new Set())).toMatchObject({ duplicated: 1, renamed: [] });
    expect(check(of, ['w'], [receipt, { ...receipt, messageId: '2' }], new Set()).renamed).toEqual(['a w']);
  });
});
