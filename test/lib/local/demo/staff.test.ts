import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { HEAD_NURSE, NURSE, startStaff } from '#lib/local/demo/staff.ts';

let alarm: Receiver;
let said: string[];
let waiting: { ms: number; run: () => void }[];
let staff: ReturnType<typeof startStaff>;
beforeEach(async () => {
  alarm = await startReceiver();
  [said, waiting] = [[], []];
  const after = (ms: number, run: () => void) => {
    const timer = { ms, run };
    waiting.push(timer);
    return () => void waiting.splice(waiting.indexOf(timer), 1);
  };
  staff = startStaff({ after }, (line) => void said.push(line));
});
afterEach(() => alarm.stop());

const fall = (name: string) =>
  JSON.stringify({ webhook: { name }, event: { type: 'fall' }, acknowledgeUrl: alarm.url });
const names = () => alarm.received.map(({ body }) => JSON.parse(body).name);

test('the nurse answers four alarms of five by their address, and the head nurse each that she is told', async () => {
  for (let at = 0; at < 10; at++) staff.hear(fall(NURSE));
  expect(waiting.map(({ ms }) => ms)).toEqual(Array(8).fill(8_000));
  staff.hear(fall(HEAD_NURSE));
  for (const { run } of [...waiting]) run();
  await expect.poll(() => said).toHaveLength(9);
  expect(names().toSorted()).toEqual([HEAD_NURSE, ...Array(8).fill(NURSE)]);
});

test('nobody answers what is no fall, has no address, is for others, or is no JSON', () => {
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
  expect(waiting).toEqual([]);
});

test('an alarm that cannot be acknowledged is said, and nobody answers once the demo has stopped', async () => {
  await alarm.stop();
  staff.hear(fall(NURSE));
  waiting[0]?.run();
  await expect.poll(() => said).toEqual([expect.stringMatching(/^Demo nurse call: the alarm could not be/)]);
  staff.hear(fall(NURSE));
  staff.stop();
  expect(waiting).toHaveLength(1);
  alarm = await startReceiver();
});
