import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Snapshot } from '#shared/domain/delivery/delivery.ts';
import { packSnapshot, unpackSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { Situation } from '#shared/domain/event/event.ts';
import { anyText } from '#test/fixtures/any-text.ts';
import { snapshotForPeople } from '#test/fixtures/snapshot.ts';

const text = anyText(20);
const number = fc.maxSafeInteger();
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const uuid = fc.constantFrom('one', 'two');
const unit = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);

const event = fc.record({
  id: number,
  uuid,
  createDate: number,
  type: text,
  action: text,
  code: maybe(number),
  text,
  coordinates: maybe(fc.record({ x: unit, y: unit, z: unit })),
  source: maybe(uuid),
});
const rule = fc
  .record({
    id: number,
    createDate: number,
    name: text,
    title: text,
    message: text,
    groupId: number,
    situation: fc.constantFrom(...Situation.options),
    region: maybe(fc.record({ index: fc.nat(), name: text })),
  })
  .map(({ region, ...rest }) => ({
    ...rest,
    hasRegion: region !== null,
    regionIndex: region?.index ?? -1,
    regionName: region?.name ?? '',
  }));
const snapshot = fc.record(
  {
    service: fc.record({ name: text, url: text, version: text }),
    webhook: fc.record({ name: text, isCustomerHook: fc.constant(true as const) }, { requiredKeys: ['name'] }),
    event,
    sensor: fc.record({ id: text, deviceId: text, name: text, groupId: number }),
    customer: maybe(fc.record({ id: number, name: text, location: text })),
    rule: maybe(rule),
    reader: fc.record(
      { language: fc.constantFrom('en', 'de'), time: text, hasPlainNames: fc.constant(true as const) },
      { requiredKeys: ['language', 'time'] },
    ),
    acknowledgeUntil: number,
    acknowledgement: fc.record({ ruleHitId: number, userId: maybe(number), name: text, date: number }),
  },
  { requiredKeys: ['service', 'event', 'sensor', 'customer', 'rule', 'acknowledgeUntil'] },
) as fc.Arbitrary<Snapshot>;

test('packing and unpacking preserves a snapshot', () => {
  fc.assert(
    fc.property(snapshot, (original) => {
      expect(JSON.parse(JSON.stringify(unpackSnapshot(packSnapshot(original))))).toEqual(
        JSON.parse(JSON.stringify(original)),
      );
    }),
    { numRuns: 300 },
  );
});

test('a packed snapshot stores a UUID only once if event and message share it', () => {
  const { uuid, source } = snapshotForPeople.event;
  expect(source).toBe(uuid);
  expect(packSnapshot(snapshotForPeople).split(uuid)).toHaveLength(2);
});
