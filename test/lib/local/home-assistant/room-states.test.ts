import { expect, test } from 'vitest';
import { noRates } from '#lib/local/home-assistant/rates.ts';
import { type Shown, shownRegions, statesOf, unansweredFalls } from '#lib/local/home-assistant/room-states.ts';
import type { Region } from '#shared/domain/sensor/room.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';

const active: SensorState = { ...newSensorState, version: 1, isActive: true };
const regionOf = (kind: Region['kind'], positionIdx: number, more: Partial<Region> = {}) =>
  ({ id: `${kind}-${positionIdx}`, kind, name: kind, positionIdx, presenceDetectionEnabled: true, ...more }) as Region;
const states = (shown: Partial<Shown>) =>
  statesOf({
    sensor: { id: 'a', isActive: true },
    state: active,
    room: { regions: [] },
    rates: noRates,
    gaps: [],
    ...shown,
  });

test('a fall is open until acknowledged or ended by its device, even after a timeout', () => {
  const falls = [
    { start: 1, phases: ['detected'] },
    { start: 2, phases: ['detected', 'calling'] },
    { start: 3, phases: ['calling'], isAcknowledged: true },
    { start: 4, phases: ['calling', 'finished'] },
    { start: 5, phases: ['calling', 'finished'], endedByTime: 9 },
    { start: 6, phases: ['calling'], isSensitive: true },
  ] satisfies SensorState['falls'];
  expect(unansweredFalls({ ...active, falls })).toEqual(['2', '5', '6-s']);
});

test('an open fall is identified by its last alarm', () => {
  const fallen = { fallPostures: ['fallen' as const], since: 10 };
  const tracks = [
    { id: 1, ...fallen },
    { id: 2, ...fallen, alarmedAgain: 20 },
    { id: 3, ...fallen, isAcknowledged: true as const },
    { id: 4, ...fallen, isClosed: true as const },
    { id: 5, fallPostures: ['suspected' as const], since: 10 },
  ];
  expect(unansweredFalls({ ...active, tracks })).toEqual(['a-1', 'k-2-a']);
});

test('beds are also shown separately when there are several', () => {
  const beds = [regionOf('bed', 0), regionOf('monitored_bed', 1)];
  const others = [regionOf('interference', 2), regionOf('default', 3, { presenceDetectionEnabled: false })];
  expect(shownRegions([...beds.slice(1), ...others])).toEqual([]);
  expect(shownRegions([...beds, ...others])).toEqual(beds);
  const shown = states({ room: { regions: beds }, state: { ...active, inside: [1] } });
  expect(shown).toMatchObject({ bed: 'ON', 'region_bed-0': 'OFF', 'region_monitored_bed-1': 'ON' });
  const tracks = [{ id: 1, inside: [0] }, { id: 2 }];
  expect(states({ room: { regions: beds }, state: { ...active, tracks } })).toMatchObject({ 'region_bed-0': 'ON' });
});

test('an offline sensor shows nothing but an open fall', () => {
  const offline = { ...active, isActive: false, presence: true, inside: [0] };
  const room = { regions: [regionOf('bed', 0)] };
  const rates = { respiration: 14, heartRate: 60 };
  expect(states({ state: offline, room, rates })).toMatchObject({
    connectivity: 'OFF',
    fall: null,
    occupancy: null,
    bed: null,
    respiration: null,
    heart_rate: null,
  });
  const falls: SensorState['falls'] = [{ start: 1, phases: ['calling'] }];
  expect(states({ state: { ...offline, falls } })).toMatchObject({ fall: 'ON' });
});

test.each<[string, Gap[] | null, string | null]>([
  ['on without gaps', [], 'ON'],
  ['unknown without a watch', null, null],
  ['off for a gap that names the sensor', [{ kind: 'no_rule', sensorIds: ['a'], total: 1 }], 'OFF'],
  ['on for a gap that names another sensor', [{ kind: 'no_rule', sensorIds: ['b'], total: 1 }], 'ON'],
  ['off if the gap affects more sensors than it names', [{ kind: 'no_rule', sensorIds: ['b'], total: 2 }], 'OFF'],
  ['off for a gap that affects every sensor', [{ kind: 'nobody_on_duty', ruleIds: [1], by: 'sms' }], 'OFF'],
  ['on for a gap that is not about falls', [{ kind: 'no_rule_for_silence', sensorIds: ['a'], total: 1 }], 'ON'],
])('the fall watch is %s', (_, gaps, watched) => {
  expect(states({ gaps })).toMatchObject({ watched });
});
