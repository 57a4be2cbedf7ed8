import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createFrames } from '#lib/local/mqtt/connection.ts';

const packetOf = (bytes: number): Buffer =>
  generate({
    cmd: 'publish',
    topic: 'a',
    payload: Buffer.alloc(bytes),
    qos: 0,
    retain: false,
    dup: false,
  });
const sizes = fc.array(fc.nat(400), { minLength: 1, maxLength: 8 });
/** Returns the bytes passed on when packets arrive `cut` bytes at a time. */
const passed = (bytes: Buffer, cut: number, max: number): Buffer => {
  const pass = createFrames(max);
  const parts = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, at) =>
    bytes.subarray(at * cut, (at + 1) * cut),
  );
  return Buffer.concat(parts.map((part) => pass(part) ?? expect.unreachable('a message ended its connection')));
};

test('createFrames truncates messages above the limit, however the bytes are split', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 3, max: 400 }), fc.integer({ min: 1, max: 50 }), (all, max, cut) => {
      // A topic of one character takes three bytes.
      const expected = all.map((size) => packetOf(Math.min(size, max - 3)));
      expect(passed(Buffer.concat(all.map(packetOf)), cut, max)).toEqual(Buffer.concat(expected));
    }),
  );
});

test.each([
  ['is not a message', [0x10, 0xff, 0xff, 0x7f]],
  ['has an invalid length', [0x30, 0x80, 0x80, 0x80, 0x80]],
])('createFrames rejects an oversized packet as soon as the header arrives if it %s', (_, bytes) => {
  expect(createFrames(1_000)(Buffer.from(bytes))).toBeNull();
});

test('createFrames applies a smaller limit to the first packet, which arrives before authentication', () => {
  const connect = (bytes: number) =>
    Buffer.concat([
      Buffer.from([0x10, bytes]),
      Buffer.alloc(bytes),
      Buffer.from([0x10, 0xe7, 0x07]),
      Buffer.alloc(999),
    ]);
  expect(createFrames(1_000, 100)(connect(100))).toEqual(connect(100));
  expect(createFrames(1_000, 100)(connect(101))).toBeNull();
});
