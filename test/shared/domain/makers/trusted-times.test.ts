import { describe, expect, test } from 'vitest';
import type { DecodedMessage } from '#shared/domain/event/message.ts';
import { withTrustedTimes } from '#shared/domain/makers/decoders.ts';

const now = 1_800_000_000_000;

describe('trusted times', () => {
  const decoded: DecodedMessage = {
    signal: { kind: 'unknown' },
    deviceTime: now,
    uuid: null,
    identity: [1],
    wrong: [],
  };
  const fall = {
    kind: 'fall',
    status: 'calling',
    start: now,
    isSensitive: false,
    point: null,
    isSimulated: false,
    isSilent: false,
  } as const;
  test('a trusted time stays unchanged and identifies the message', () => {
    expect(withTrustedTimes(decoded, now)).toEqual({ ...decoded, byBytes: false, isClockWrong: false });
    expect(withTrustedTimes({ ...decoded, signal: fall }, now)).toMatchObject({
      signal: fall,
      identity: [1],
      isClockWrong: false,
    });
  });
  test('a wrong time is removed and does not identify the message', () => {
    const wrong = withTrustedTimes({ ...decoded, deviceTime: 5 }, now);
    expect(wrong).toMatchObject({ deviceTime: null, identity: null, byBytes: true, isClockWrong: true });
    expect(
      withTrustedTimes({ ...decoded, deviceTime: 5, uuid: '00000000-0000-4000-8000-000000000001' }, now).byBytes,
    ).toBe(false);
    const without = withTrustedTimes({ ...decoded, deviceTime: null }, now);
    expect(without).toMatchObject({ identity: null, byBytes: true, isClockWrong: false });
  });
  test('a trusted fall start identifies the message', () => {
    const late = withTrustedTimes({ ...decoded, deviceTime: null, signal: fall }, now);
    expect(late).toMatchObject({ identity: [1], byBytes: false, isClockWrong: false });
    const wrong = withTrustedTimes({ ...decoded, signal: { ...fall, start: 5 } }, now);
    expect(wrong).toMatchObject({ signal: { start: null }, identity: null, byBytes: true, isClockWrong: true });
    expect(withTrustedTimes({ ...decoded, signal: { ...fall, start: null } }, now)).toMatchObject({
      byBytes: true,
      isClockWrong: false,
    });
  });
});
