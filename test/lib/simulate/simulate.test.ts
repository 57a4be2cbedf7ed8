import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { HOUR, type Occurrence } from '#lib/simulate/day.ts';
import { disconnectSensors } from '#lib/simulate/home.ts';
import { nextMidnight } from '#lib/simulate/local-time.ts';
import { makerOf } from '#lib/simulate/makers.ts';
import { dayIn, messagesOf, type ObservedMoment, type PlanOptions } from '#lib/simulate/plan.ts';
import { readRecords } from '#lib/simulate/records.ts';
import { checkFalls, checkRecords, clockText, simulate, tallyText } from '#lib/simulate/run.ts';
import { atFullSpeed, atSpeed } from '#lib/simulate/simulation-clock.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';

const plan = (more: Partial<PlanOptions>): PlanOptions => ({
  sensors: 6,
  days: 1,
  seed: 1,
  reportSeconds: 540,
  ...more,
});
const sent = (options: PlanOptions, day = 0) =>
  messagesOf(dayIn(options, day)).map(({ at, sensor, message }) => ({ at, sensor, message: message((time) => time) }));
const every = (what: Occurrence, moments: readonly ObservedMoment[]) =>
  moments.filter((moment) => moment.what === what);

describe('a simulated home', () => {
  test('a simulated home repeats the same days for the same seed', () => {
    expect(sent(plan({}), 1)).toEqual(sent(plan({}), 1));
    expect(sent(plan({ seed: 2 }), 1)).not.toEqual(sent(plan({}), 1));
  });
  test("a simulated home sends only decodable messages, ordered by time, from both makers' sensors", () => {
    const all = sent(plan({ sensors: 40, seed: 3 }));
    for (const { sensor, message } of all) expect(decoders[makerOf(sensor)](message).signal.kind).not.toBe('unknown');
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((time, other) => time - other));
    expect(new Set(all.map(({ sensor }) => sensor)).size).toBe(40);
  });
  test('a simulated home has the documented number of falls, visitors and outages', () => {
    const all = dayIn(plan({ sensors: 800 }), 0);
    const falls = every('fall', all).length + every('cut_fall', all).length;
    expect(falls).toBeGreaterThan(60);
    expect(falls).toBeLessThan(140);
    expect(every('visitor_enters', all).length).toBeGreaterThan(200);
    expect(every('visitor_leaves', all).length).toBe(every('visitor_enters', all).length);
    expect(every('silent', all).length).toBeGreaterThan(100);
    expect(every('back', all).length).toBe(every('silent', all).length);
  });
  test('sensors report at their interval even across midnight, except during outages', () => {
    const options = plan({ days: 2, reportSeconds: 700 });
    for (const sensor of [0, 1, 5]) {
      const times = [...dayIn(options, 0), ...dayIn(options, 1)].filter((event) => event.sensor === sensor);
      const gaps = times.slice(1).flatMap(({ at }, before) => {
        const { at: last = 0, what } = times[before] ?? {};
        return what === 'silent' ? [] : [at - last];
      });
      expect(Math.max(...gaps)).toBeLessThanOrEqual(700_000);
    }
  });
  test('a sensor does not send messages during an outage', () => {
    const all = dayIn(plan({ sensors: 40 }), 0);
    for (const { sensor, at } of every('silent', all))
      expect(all.find((event) => event.sensor === sensor && event.at > at)?.what).toBe('back');
  });
});

test('the clock at full speed skips to the next event once idle, keeping messages in order', async () => {
  const clock = skippingClock(0);
  const seen: string[] = [];
  const seconds = () => Math.floor(clock.now() / 1_000);
  const isDone = { value: true };
  clock.after(30_000, () => seen.push(`timer at ${seconds()}`));
  const { run, until } = atFullSpeed(
    clock,
    async () => {
      isDone.value = true;
    },
    10_000,
  );
  const messages = [
    [0, 1],
    [1, 2],
    [1, 1],
    [60, 1],
  ].map(([at = 0, sensor = 0]) => ({ at: at * 1_000, sensor, message: () => ({ type: 4 as const, payload: {} }) }));
  await run(messages, async ({ sensor, at }) => {
    if (isDone.value) seen.push('all is done');
    isDone.value = false;
    await Promise.resolve();
    seen.push(`${sensor}, of ${at / 1_000}, at ${seconds()}`);
  });
  await until(80_000);
  expect(seen).toEqual([
    'all is done',
    '1, of 0, at 11',
    '2, of 1, at 11',
    'all is done',
    '1, of 1, at 11',
    'timer at 30',
    'all is done',
    '1, of 60, at 70',
  ]);
  expect(seconds()).toBe(90);
});

describe('the simulator', () => {
  const midnight = nextMidnight(Date.now());
  const from = 9.5 * HOUR;
  const until = 10.1 * HOUR;
  let clock: SkippingClock;
  let cloud: Cloud;
  beforeAll(async () => {
    clock = skippingClock(midnight + from - 60_000);
    const environment = { SENSOR_INACTIVE_AFTER_SECONDS: '600' };
    cloud = await startTestCloud({ clock, sweepSeconds: 60, mqttPort: 0, environment });
  });
  afterAll(() => cloud.stop());
  const access = () => ({
    base: cloud.url,
    username: 'admin',
    password: ADMIN_PASSWORD,
    provisioningKey: PROVISIONING_KEY,
  });

  test('the simulator finds exactly the expected events, hits and deliveries, and lists every difference', async () => {
    const lines: string[] = [];
    const result = await simulate(
      { ...access(), ...plan({ sensors: 4, seed: 2_420, hours: [from, until] }) },
      {
        startClock: () => atFullSpeed(clock, cloud.idle, midnight),
        pace: async () => {},
        show: (tally) => lines.push(tallyText(tally)),
      },
    );
    expect(clock.now()).toBeGreaterThanOrEqual(midnight + until);
    expect(lines.at(-1)).toMatch(/^day 1 10:\d\d {2}sent \d+ {2}alarms \d+ {2}arrived \d+: /);
    const records = await readRecords(result.home);
    const { complaints, verdict } = checkRecords(result, records);
    expect(complaints).toEqual([]);
    expect(verdict).toMatch(
      /^\d+ messages: \d+ events .*, each delivered once; \d+ hits of 9 rules, \d+ alarms, each delivered once; \d+ duplicates, nothing/,
    );
    const kinds = [...records.events.keys()].map((key) => key.split(' ')[1]);
    expect(kinds).toEqual(expect.arrayContaining(['sensor/inactive', 'fall/confirmed', 'fall/fall_detected']));

    const { expected } = result;
    const wrong = { ...expected, hits: new Map(expected.hits), events: new Map(expected.events) };
    wrong.events.set('3 fall/fall_detected', 2);
    wrong.hits.set('3 fall_detected, home', 2);
    expect(checkRecords({ ...result, expected: wrong }, records).complaints).toEqual([
      'events of sensor 3 fall/fall_detected: expected 2, got 0',
      'hits of sensor 3 fall_detected, home: expected 2, got 0',
    ]);
  });

  test('the simulator sees every fall delivered over MQTT, and reports missing and extra ones', async () => {
    const fallsIn = (seed: number) => every('fall', dayIn(plan({ sensors: 1, seed }), 0)).length;
    const seed = Array.from({ length: 100 }, (_, at) => at).find((candidate) => fallsIn(candidate) > 0);
    // Residents fall within these hours.
    const options = plan({ sensors: 1, seed: seed ?? 0, hours: [9.4 * HOUR, 10.6 * HOUR] });
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const startClock = () => atSpeed({ now: clock.now, pause, speed: 100_000, settled: cloud.idle });
    const home = { ...access(), mqttUrl: cloud.mqttUrl };
    const result = await simulate({ ...home, ...options }, { startClock, pace: async () => {}, show: () => {} });
    await disconnectSensors(result.home);
    expect(checkFalls(result)).toEqual({ complaints: [], verdict: '1 falls happened, 1 were delivered' });
    expect(result.tally.sent).toBe(sent(options).length);
    const { expected } = result;
    const wrong = new Map([...expected.events].map(([key, times]) => [key, times + 1]));
    expect(checkFalls({ ...result, expected: { ...expected, events: wrong } }).complaints).toEqual([
      'falls: expected 2, delivered 1',
    ]);
  });

  test('the simulator formats the simulated time', () => {
    expect([0, 7.5 * HOUR, 24 * HOUR].map(clockText)).toEqual(['day 1 00:00', 'day 1 07:30', 'day 2 00:00']);
  });

  test.concurrent.each([
    [['--help'], 0, /--speed 60/],
    [['--sensors', 'many'], 2, /--sensors must be a whole number/],
    [['--url', 'http://127.0.0.1:1/api/v1'], 2, /--provisioning-key/],
    [['--mqtt', '--url', 'http://127.0.0.1:1/api/v1'], 2, /--mqtt-url/],
    [['--url', 'http://127.0.0.1:1/api/v1', '--speed', 'full'], 2, /--speed full is not possible with --url/],
  ] as const)('the simulator prints usage: %j', async (args, status, text) => {
    const child = spawn(process.execPath, ['bin/run.ts', 'simulate', ...args]);
    const ended = once(child, 'close');
    const output = (await Promise.all([child.stdout.toArray(), child.stderr.toArray()])).flat().join('');
    expect({ status: (await ended)[0], text: output }).toEqual({ status, text: expect.stringMatching(text) });
  });
});
