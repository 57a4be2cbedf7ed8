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
/** What goes on of the bytes of packets that come `cut` bytes at a time. */
const passed = (bytes: Buffer, cut: number, most: number): Buffer => {
  const passing = createFrames(most);
  const parts = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, at) =>
    bytes.subarray(at * cut, (at + 1) * cut),
  );
  return Buffer.concat(parts.map((part) => passing(part) ?? expect.unreachable('a message ended its connection')));
};

test('messages up to the limit go on as they are, and longer ones as far as it, however their bytes are divided', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 3, max: 400 }), fc.integer({ min: 1, max: 50 }), (all, most, cut) => {
      // A topic of one character has three bytes.
      const expected = all.map((size) => packetOf(Math.min(size, most - 3)));
      expect(passed(Buffer.concat(all.map(packetOf)), cut, most)).toEqual(Buffer.concat(expected));
    }),
  );
});

test.each([
  ['is no message', [0x10, 0xff, 0xff, 0x7f]],
  ['has no end of its length', [0x30, 0x80, 0x80, 0x80, 0x80]],
])('a packet that is too large and %s is refused before it has come', (_, bytes) => {
  expect(createFrames(1_000)(Buffer.from(bytes))).toBeNull();
});

test('the first packet, which comes before anybody knows who it is, is small; those behind it need not be', () => {
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
