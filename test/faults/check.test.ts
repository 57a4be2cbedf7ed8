import { describe, expect, test } from 'vitest';
import { check, type Posted, type Receipt } from './check.ts';

const acknowledged: Posted = { uuid: 'a', customerId: 1, at: 5, webhooks: ['w'] };
const receipt: Receipt = { uuid: 'a', customerId: 1, webhookId: 'w', messageId: '1', at: 6 };
const none = new Set<string>();

describe('the checker', () => {
  test('reports a lost event, unless its delivery ended for a known reason', () => {
    expect(check([acknowledged], [], none).lost).toEqual(['a w']);
    expect(check([acknowledged], [], new Set(['a w'])).lost).toEqual([]);
    expect(check([acknowledged], [receipt], none).lost).toEqual([]);
    expect(check([{ ...acknowledged, webhooks: ['w', 'x'] }], [receipt], none).lost).toEqual(['a x']);
  });

  test('accepts an unacknowledged event whether or not it was delivered', () => {
    const unacknowledged = { ...acknowledged, at: null };
    expect(check([unacknowledged], [], none).lost).toEqual([]);
    expect(check([unacknowledged], [receipt], none)).toMatchObject({ unexpected: [], wrong: [] });
  });

  test('reports an event that was never sent', () => {
    expect(check([acknowledged], [receipt, { ...receipt, uuid: 'c' }], none).unexpected).toEqual(['c w']);
  });

  test('counts duplicates, and reports those with a different id', () => {
    expect(check([acknowledged], [receipt, receipt], none)).toMatchObject({ duplicated: 1, renamed: [] });
    const renamed = check([acknowledged], [receipt, { ...receipt, messageId: '2' }], none);
    expect(renamed).toMatchObject({ duplicated: 1, renamed: ['a w'] });
  });

  test("reports an event at another customer's receiver or at another webhook", () => {
    expect(check([acknowledged], [receipt], none).wrong).toEqual([]);
    expect(check([acknowledged], [receipt, { ...receipt, customerId: 2 }], none).wrong).toEqual(['a w at 2']);
    expect(check([acknowledged], [receipt, { ...receipt, webhookId: 'x' }], none).wrong).toEqual(['a x at 1']);
  });
});
