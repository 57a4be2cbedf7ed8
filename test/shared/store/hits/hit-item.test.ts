import { expect, test } from 'vitest';
import { customerOfHit, hitRange, idBeforeFirst, type NewHit } from '#shared/store/hits/hit-item.ts';
import { HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const extra = { display_name: 'Ward', is_bot: true };
const message = (id: number, sendTryTimes: number[] = []) => ({
  id,
  accountId: 8,
  publisher: 'webhook',
  extra,
  wasSend: false,
  sendTryTimes,
});
const newHit = (messages: object[]): NewHit =>
  some({ ruleId: 1, sensorId: SENSOR, sensorEventId: 'e', messages, hitNumber: { series: now, number: 1 } });

test.each([
  [0, false],
  [1, false],
  [2, false],
  [3, true],
  [4, true],
])(
  'a hit with %i messages packs them only if there are at least three, and is read in full',
  async (count, isPacked) => {
    const { its, read, raw } = hitWorld();
    const messages = Array.from({ length: count }, (_, at) => message(5 + at, at === 1 ? [now + 1] : []));
    const { id } = await its.ruleHits.append(HOME, await its.ruleHits.lastPlace(HOME), newHit(messages), now);
    expect('told' in ((await raw(id)) ?? {})).toBe(isPacked);
    const dates = { createDate: now, updateDate: now };
    const hit = await read(id);
    expect(hit).not.toHaveProperty('told');
    expect(hit?.messages).toMatchObject(messages.map((one) => ({ ...one, ...dates, ruleHitId: id })));
  },
);

test('a stored message without details is read as an unsent webhook message from the first round', async () => {
  const { put, read } = hitWorld();
  await put(1, { messages: [{ sendTryTimes: [now] }, { sendTryTimes: [], wasSend: true, step: 2, publisher: 'sms' }] });
  const common = { createDate: now, updateDate: now, ruleHitId: 1 };
  expect((await read(1))?.messages).toEqual([
    { ...common, sendTryTimes: [now], publisher: 'webhook', wasSend: false, step: 0 },
    { ...common, sendTryTimes: [], publisher: 'sms', wasSend: true, step: 2 },
  ]);
});

test('each customer has a separate range of hit ids', () => {
  expect([idBeforeFirst(0), idBeforeFirst(3)]).toEqual([0, 3 * 2 ** 32]);
  const last = idBeforeFirst(HOME + 1) - 1;
  expect([idBeforeFirst(HOME), last, last + 1].map(customerOfHit)).toEqual([HOME, HOME, HOME + 1]);
});

test('a range of hit ids never begins below zero', () => {
  expect(hitRange(-5, -1)).toEqual(hitRange(0, 0));
  expect(hitRange(0, 1)).not.toEqual(hitRange(0, 0));
});
