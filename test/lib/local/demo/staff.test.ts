import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { HEAD_NURSE, NURSE, startStaff } from '#lib/local/demo/staff.ts';

let alarm: Receiver;
let lines: string[];
let timers: { ms: number; run: () => void }[];
let staff: ReturnType<typeof startStaff>;
beforeEach(async () => {
  alarm = await startReceiver();
  [lines, timers] = [[], []];
  const after = (ms: number, run: () => void) => {
    const timer = { ms, run };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  staff = startStaff({ after }, (line) => void lines.push(line));
});
afterEach(() => alarm.stop());

const fall = (name: string) =>
  JSON.stringify({ webhook: { name }, event: { type: 'fall' }, acknowledgeUrl: alarm.url });
const names = () => alarm.received.map(({ body }) => JSON.parse(body).name);

test('the nurse acknowledges four in five alarms, and the head nurse all that reach her', async () => {
  for (let at = 0; at < 10; at++) staff.hear(fall(NURSE));
  expect(timers.map(({ ms }) => ms)).toEqual(Array(8).fill(8_000));
  staff.hear(fall(HEAD_NURSE));
  for (const { run } of [...timers]) run();
  await expect.poll(() => lines).toHaveLength(9);
  expect(names().toSorted()).toEqual([HEAD_NURSE, ...Array(8).fill(NURSE)]);
});

test('the staff ignores deliveries that are not falls, lack a URL, or are for someone else', () => {
  const delivery = { webhook: { name: NURSE }, event: { type: 'fall' }, acknowledgeUrl: alarm.url };
  for (const body of [
    { ...delivery, event: { type: 'presence' } },
    { ...delivery, acknowledgeUrl: null },
    { ...delivery, webhook: { name: 'x' } },
    { event: 7, webhook: null },
    null,
  ])
    staff.hear(JSON.stringify(body));
  staff.hear('x');
  expect(timers).toEqual([]);
});

test('the staff reports alarms that it fails to acknowledge', async () => {
  await alarm.stop();
  staff.hear(fall(NURSE));
  timers[0]?.run();
  await expect.poll(() => lines).toEqual([expect.stringMatching(/^Demo nurse call: could not acknowledge the alarm/)]);
  staff.hear(fall(NURSE));
  staff.stop();
  expect(timers).toHaveLength(1);
  alarm = await startReceiver();
});
