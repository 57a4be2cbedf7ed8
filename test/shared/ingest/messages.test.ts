import { describe, expect, test } from 'vitest';
import { MESSAGE_LIMITS } from '#shared/domain/event/raw.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { decodeText } from '#shared/domain/makers/decoders.ts';
import {
  deduplicationIdOf,
  parseMessages,
  type Sender,
  tasksOf,
  uuidsOf,
  warningsOf,
} from '#shared/ingest/messages.ts';

const receiveDate = 2_000_000;
const device: Sender = { customerId: 1, sensorId: 's', manufacturer: 'maker_a', hash: 'h' };
const presence = '{"type":4,"payload":{"presenceDetected":true,"timestamp":1900000}}';
const parse = (text: string) => parseMessages(text, device, receiveDate);
const receive = (text: string) => {
  const parsed = parse(text);
  if ('refusal' in parsed) throw new Error(parsed.refusal);
  return parsed.messages;
};
const ofBytes = (bytes: number): string => `{"a":"${'a'.repeat(bytes - '{"a":""}'.length)}"}`;
/** Received messages with these sizes. Only their bytes count. */
const ofSizes = (...sizes: number[]) => {
  const decoded = decodeText('maker_a', '{}', receiveDate);
  return sizes.map((size) => ({ raw: ofBytes(size), decoded }));
};

describe('request text', () => {
  test('request text is one message or an array of messages, with all bytes kept', () => {
    expect(receive(` ${presence}\n`)).toEqual([
      { raw: presence, decoded: decodeText('maker_a', presence, receiveDate) },
    ]);
    expect(receive(`[${presence}, {"b": 1.0}]`).map(({ raw }) => raw)).toEqual([presence, '{"b": 1.0}']);
    expect(receive('[]')).toEqual([]);
  });

  test("request text is decoded for the device's maker, with the time of receipt", () => {
    const [message] = receive(presence);
    expect(message?.decoded).toMatchObject({ signal: { kind: 'presence', present: true }, deviceTime: 1_900_000 });
    const late = parseMessages(presence, { manufacturer: 'maker_a' }, receiveDate + 30 * 24 * 3_600_000);
    expect(late).toMatchObject({ messages: [{ decoded: { deviceTime: null, isClockWrong: true } }] });
    expect(parseMessages(presence, { manufacturer: 'maker_b' }, receiveDate)).toMatchObject({
      messages: [{ decoded: { signal: { kind: 'unknown' } } }],
    });
  });

  test.each(['', '{', '{"a":1}}', 'a', '[{},]', `${'['.repeat(40)}${']'.repeat(40)}`])(
    'request text is rejected if it is not JSON or is nested too deeply: %s',
    (text) => {
      expect(parse(text)).toEqual({ refusal: 'json' });
    },
  );

  test.each(['null', '1', '1.5', '"a"', 'true', '[[]]', '[null]', '[{}, 1]', '[1.5, {}]', '[{}, "a"]', '[{}, [{}]]'])(
    'request text is rejected as a whole if a message is not an object: %s',
    (text) => {
      expect(parse(text)).toEqual({ refusal: 'type' });
    },
  );

  test('request text contains at most 100 messages', () => {
    const array = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})));
    expect(receive(array(100))).toHaveLength(100);
    expect(parse(array(101))).toEqual({ refusal: 'items' });
  });

  test('request text is rejected as a whole if a message exceeds 200 KiB in UTF-8', () => {
    expect(MESSAGE_LIMITS.bytes).toBe(204_800);
    expect(receive(`[{},${ofBytes(204_800)}]`)).toHaveLength(2);
    expect(parse(`[{},${ofBytes(204_801)}]`)).toEqual({ refusal: 'too_large' });
    expect(parse(ofBytes(204_800).replace('aaa', 'aaä'))).toEqual({ refusal: 'too_large' });
  });
});

describe('warnings', () => {
  test('warnings name each message that was not understood and each invalid field', () => {
    const wrong = '{"type":4,"payload":{"presenceDetected":true,"timestamp":"noon"}}';
    expect(warningsOf(receive(`[${presence},{"type":99},${wrong}]`))).toEqual([
      {
        index: 1,
        message: 'unknown kind of message, or its required fields are missing; the message is stored without effect',
      },
      { index: 2, message: 'payload.timestamp does not match the documentation and is ignored' },
    ]);
    expect(warningsOf(receive(presence))).toEqual([]);
  });

  test('warnings are limited to the first 20', () => {
    const indices = (count: number) =>
      warningsOf(receive(JSON.stringify(Array.from({ length: count }, () => ({}))))).map(({ index }) => index);
    expect(indices(25)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });
});

test('tasks contain the sender, the time of receipt and the messages in order', () => {
  expect(tasksOf(device, receive(`[${presence},{}]`), receiveDate)).toEqual([
    {
      type: 'process_messages',
      customerId: 1,
      sensorId: 's',
      manufacturer: 'maker_a',
      receiveDate,
      first: 0,
      messages: [presence, '{}'],
    },
  ]);
});

test('a request without messages becomes one task without messages', () => {
  expect(tasksOf(device, [], receiveDate)).toMatchObject([{ first: 0, messages: [] }]);
});

test.each([
  [[150_000, 150_000, 150_000], [[0, 3]]],
  [
    [150_000, 150_000, 150_001],
    [
      [0, 2],
      [2, 1],
    ],
  ],
  [
    [300_000, 300_000, 150_000],
    [
      [0, 1],
      [1, 2],
    ],
  ],
  [
    [300_000, 300_000, 150_000, 8],
    [
      [0, 1],
      [1, 2],
      [3, 1],
    ],
  ],
  [
    [450_001, 8],
    [
      [0, 1],
      [1, 1],
    ],
  ],
])('a task holds at most 450,000 bytes unless it has a single message: %j', (sizes, expected) => {
  const tasks = tasksOf(device, ofSizes(...sizes), receiveDate);
  expect(tasks.map(({ first, messages }) => [first, messages.length])).toEqual(expected);
  expect(tasks.flatMap(({ messages }) => messages).map((message) => message.length)).toEqual(sizes);
});

test('message UUIDs are derived from the position if nothing else identifies a message', () => {
  const received = receive('[{"a":1},{"a":1},{"a":1},{"uuid":"0e4f1f9c-8f0c-4d3a-9a53-b4a1f5d1a001"}]');
  const [task] = tasksOf(device, received, receiveDate);
  if (!task) throw new Error('a call has a task');
  const derived = (at: number) => uuidV5('s', '{"a":1}', receiveDate, at);
  expect(uuidsOf(received, { ...task, first: 1, messages: task.messages.slice(1) })).toEqual([
    derived(1),
    derived(2),
    '0e4f1f9c-8f0c-4d3a-9a53-b4a1f5d1a001',
  ]);
  expect(uuidsOf(received, { ...task, messages: task.messages.slice(0, 2) })).toEqual([derived(0), derived(1)]);
});

describe('deduplication ids', () => {
  const [task] = tasksOf(device, receive(presence), 120_000);
  if (!task) throw new Error('a call has a task');
  const idOf = (more: Partial<typeof task> = {}, uuids = ['u']) => deduplicationIdOf({ ...task, ...more }, uuids);

  test('a deduplication id is the same for the same messages within a minute', () => {
    expect(idOf({ receiveDate: 179_999 })).toBe(idOf());
    expect(idOf({ receiveDate: 119_999 })).not.toBe(idOf());
    expect(idOf({ receiveDate: 180_000 })).not.toBe(idOf());
  });

  test('a deduplication id differs for a different customer, sensor, UUID or content', () => {
    const others = [
      idOf({ customerId: 2 }),
      idOf({ sensorId: 't' }),
      idOf({ messages: [`${presence} `] }),
      idOf({}, ['v']),
      idOf(),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  test('a deduplication id is always new for a request without messages', () => {
    expect(idOf({ messages: [], receiveDate: 120_001 })).not.toBe(idOf({ messages: [] }));
  });
});
