import { describe, expect, test } from 'vitest';
import { check, type Posted, type Receipt } from './check.ts';

const told: Posted = { uuid: 'a', customerId: 1, at: 5, webhooks: ['w'] };
const receipt: Receipt = { uuid: 'a', customerId: 1, webhookId: 'w', messageId: '1', at: 6 };
const none = new Set<string>();

describe('the checker', () => {
  test('finds what is lost, unless it ended with a reason', () => {
    expect(check([told], [], none).lost).toEqual(['a w']);
    expect(check([told], [], new Set(['a w'])).lost).toEqual([]);
    expect(check([told], [receipt], none).lost).toEqual([]);
    expect(check([{ ...told, webhooks: ['w', 'x'] }], [receipt], none).lost).toEqual(['a x']);
  });

  test('does not miss what was never acknowledged, but takes it when it comes', () => {
    const silent = { ...told, at: null };
    expect(check([silent], [], none).lost).toEqual([]);
    expect(check([silent], [receipt], none)).toMatchObject({ unexpected: [], wrong: [] });
  });

  test('finds what nobody sent', () => {
    expect(check([told], [receipt, { ...receipt, uuid: 'c' }], none).unexpected).toEqual(['c w']);
  });

  test('finds what came twice, and what came under two names', () => {
    expect(check([told], [receipt, receipt], none)).toMatchObject({ duplicated: 1, renamed: [] });
    const renamed = check([told], [receipt, { ...receipt, messageId: '2' }], none);
    expect(renamed).toMatchObject({ duplicated: 1, renamed: ['a w'] });
  });

  test('finds what the receiver of another customer was told, and another webhook of the same', () => {
    expect(check([told], [receipt], none).wrong).toEqual([]);
    expect(check([told], [receipt, { ...receipt, customerId: 2 }], none).wrong).toEqual(['a w at 2']);
    expect(check([told], [receipt, { ...receipt, webhookId: 'x' }], none).wrong).toEqual(['a x at 1']);
  });
});
