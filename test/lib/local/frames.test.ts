import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createFrames } from '../../../lib/local/mqtt/frames.ts';

const packetOf = (bytes: number): Buffer =>
  generate({
    ...{ cmd: 'publish', topic: 'a', payload: Buffer.alloc(bytes), qos: 0, retain: false, dup: false },
  });
/** Bytes of a packet behind its length. */
const bodyOf = (bytes: number) => bytes + 3;

test('packets up to the limit are accepted, however their bytes are divided', () => {
  const sizes = fc.array(fc.nat(400), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(sizes, fc.nat(400), fc.integer({ min: 1, max: 50 }), (all, most, cut) => {
      const fits = createFrames(most);
      const bytes = Buffer.concat(all.map(packetOf));
      const parts = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, at) =>
        bytes.subarray(at * cut, (at + 1) * cut),
      );
      expect(parts.every((part) => fits(part))).toBe(all.every((size) => bodyOf(size) <= most));
    }),
  );
});

test.each([
  ['says so before it has come', [0x30, 0xff, 0xff, 0x7f]],
  ['has no end of its length', [0x30, 0x80, 0x80, 0x80, 0x80]],
])('a packet that is too large and %s is refused', (_, bytes) => {
  expect(createFrames(1_000)(Buffer.from(bytes))).toBe(false);
});

test('the first packet, which comes before anybody knows who it is, is small; those behind it need not be', () => {
  const connect = (bytes: number) => Buffer.concat([packetOf(bytes), packetOf(900)]);
  expect(createFrames(1_000, 100)(connect(97))).toBe(true);
  expect(createFrames(1_000, 100)(connect(98))).toBe(false);
});
