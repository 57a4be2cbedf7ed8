import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import type { AlarmCursor } from '#shared/store/alarms/alarm-cursor.ts';
import { formatCursor, parseCursor } from '#shared/store/alarms/alarm-cursor.ts';
import type { ListedAlarm } from '#shared/store/alarms/alarm-details.ts';
import { idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { some } from '#test/fixtures/store-items.ts';

const START = 1_800_000_000_000;
const SENSORS = ['id_a', 'id_b', 'id_c'];

let cloud: Cloud;
let its: ReturnType<typeof store>;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: unscheduled });
  its = store(cloud.runtime.table);
});
afterAll(() => cloud.stop());

const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** An incident at a sensor. Rules may fire for it, and the process may die before writing the last hit. */
type Incident = { sensor: number; situation: Situation; rules: number; isSecondOfFall: boolean; isAtOnce: boolean };
const incidents = fc.record<Incident>({
  sensor: fc.nat(SENSORS.length - 1),
  situation: fc.constantFrom('fall_detected', 'fall_detected', 'sensor_inactive', 'apnea', 'empty_room'),
  rules: fc.nat(3),
  isSecondOfFall: fc.boolean(),
  isAtOnce: fc.boolean(),
});

let lastCustomer = 1_000;
/** A customer with successive incidents. `expected`: the alarm uuids, oldest first. */
const newHome = () => {
  const customerId = ++lastCustomer;
  const expected: string[] = [];
  const numbers = new Map<string, number>();
  const falls = new Map<string, { fall: string; first: string }>();
  let last = { id: idBeforeFirst(customerId), createDate: 0 };
  let time = START;
  let count = 0;
  /** The hit ids of each alarm. */
  const hitsOf = new Map<string, readonly number[]>();
  const append = async (sensorId: string, [uuid, first]: [string, string], more: object): Promise<void> => {
    const number = (numbers.get(sensorId) ?? 0) + 1;
    numbers.set(sensorId, number);
    const hit = { sensorId, sensorEventId: uuid, messages: [], hitNumber: { series: START, number }, ...more };
    last = await its.ruleHits.append(customerId, last, some(hit), time);
    hitsOf.set(first, [...(hitsOf.get(first) ?? []), last.id]);
  };
  const happen = async ({ sensor, situation, rules, isSecondOfFall, isAtOnce }: Incident): Promise<void> => {
    time += isAtOnce ? 0 : 1_000;
    count += 1;
    const sensorId = SENSORS[sensor] ?? '';
    const uuid = uuidOf(count);
    const { type, action } = kinds[situation];
    const isFall = type === 'fall';
    const known = falls.get(sensorId);
    const isSecond = isFall && isSecondOfFall && known !== undefined;
    const { fall, first } = isSecond ? known : { fall: `${time.toString(36)}-${count}`, first: uuid };
    if (isFall) falls.set(sensorId, { fall, first });
    if (isUrgent(situation) && !isSecond) expected.push(uuid);
    for (let rule = 1; rule <= rules; rule++)
      await append(sensorId, [uuid, first], { ruleId: rule, situation, ...(isFall && { fall }) });
    const event = { id: firstIdAt(time) + count, uuid, createDate: time, receiveDate: time, type, action };
    const isUnruled = rules === 0 && isUrgent(situation);
    const item = { ...event, code: null, coordinates: null, source: uuid, isUnruled, ...(isFall && { fall }) };
    await its.events.add(customerId, sensorId, [item]);
  };
  const filter = { customerId, from: 0, to: Number.MAX_SAFE_INTEGER, sensorId: '', isWanted: () => true };
  const page = (limit: number, after: AlarmCursor | null, more: object = {}) =>
    its.alarmLists.page({ ...filter, situations: [], states: [], ...more }, { limit, after, hooks: {}, now: time });
  /** Reads all pages, with new events between pages. */
  const walk = async (limit: number, between: () => Promise<void>, more: object = {}): Promise<ListedAlarm[]> => {
    const found: ListedAlarm[] = [];
    let after: AlarmCursor | null = null;
    do {
      const part = await page(limit, after, more);
      expect(part.alarms.length).toBeLessThanOrEqual(limit);
      found.push(...part.alarms);
      // Clients see the cursor as a string.
      after = part.next && parseCursor(formatCursor(part.next));
      await between();
    } while (after);
    return found;
  };
  const setClockBack = (by: number): void => {
    time -= by;
  };
  return { customerId, expected, hitsOf, happen, page, walk, setClockBack };
};

test('pages contain each alarm exactly once, newest first, with all its hits, even as more alarms arrive', async () => {
  const lists = { incidents: fc.array(incidents, { maxLength: 25 }), later: fc.array(incidents, { maxLength: 6 }) };
  await fc.assert(
    fc.asyncProperty(fc.record({ ...lists, limit: fc.integer({ min: 1, max: 5 }) }), async (given) => {
      const home = newHome();
      for (const incident of given.incidents) await home.happen(incident);
      const before = [...home.expected];
      const hits = new Map(home.hitsOf);
      const arriving = [...given.later];
      const found = await home.walk(given.limit, async () => {
        const next = arriving.shift();
        if (next) await home.happen(next);
      });
      const uuids = found.map(({ uuid }) => uuid);
      expect(new Set(uuids).size).toBe(uuids.length);
      // A newly arrived alarm may be among them.
      expect(uuids).toEqual(expect.arrayContaining(before));
      const dates = found.map(({ createDate }) => createDate);
      expect(dates).toEqual(dates.toSorted((one, other) => other - one));
      for (const { uuid, hitIds } of found)
        expect(hitIds, uuid).toEqual(expect.arrayContaining([...(hits.get(uuid) ?? [])]));
      const all = await home.walk(given.limit, async () => {});
      expect(all.map(({ uuid }) => uuid).toSorted()).toEqual(home.expected.toSorted());
      for (const sensorId of SENSORS) {
        const ofSensor = await home.walk(given.limit, async () => {}, { sensorId });
        expect(ofSensor.map(({ uuid }) => uuid).toSorted()).toEqual(
          all.flatMap((alarm) => (alarm.sensorId === sensorId ? [alarm.uuid] : [])).toSorted(),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('an alarm keeps its own date even if an earlier one has a future date', async () => {
  const home = newHome();
  const incident = { situation: 'fall_detected', rules: 1, isSecondOfFall: false, isAtOnce: false } as const;
  await home.happen({ ...incident, sensor: 0 });
  home.setClockBack(86_400_000);
  await home.happen({ ...incident, sensor: 1 });
  const found = await home.walk(1, async () => {});
  expect(found.map(({ sensorId, createDate }) => [sensorId, createDate - START])).toEqual([
    ['id_b', 2_000 - 86_400_000],
    ['id_a', 1_000],
  ]);
});
