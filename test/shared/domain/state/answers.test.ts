import { describe, expect, test } from 'vitest';
import { eventKeyOf, fallKeyOf } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerA } from '#shared/domain/makers/maker-a/decode.ts';
import { decodeMakerB } from '#shared/domain/makers/maker-b/decode.ts';
import { hasFallForPeople, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isSituationOver } from '#shared/domain/situation-over.ts';
import { answerStep } from '#shared/domain/state/answers.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { a, b } from '#test/fixtures/messages.ts';

const SECOND = 1_000;
const start = 1_800_000_000_000;
const active: SensorState = { ...newSensorState, isActive: true };

/** The state and situations that result from messages received at these times (ms after the start). */
const play = (from: SensorState, ...messages: readonly (readonly [at: number, message: object])[]) => {
  let state = from;
  const situations = messages.flatMap(([at, message]) => {
    const decoded = withTrustedTimes(('cmd' in message ? decodeMakerB : decodeMakerA)(message), start + at);
    const next = step(state, decoded.signal, messageTime(start + at, null), noRoomContext);
    state = next.state;
    return next.events.map(({ situation }) => situation);
  });
  return { state, situations };
};
const close = (state: SensorState, fall: number, at = 0, subject: object = {}) => {
  const { state: next, events } = answerStep(state, fallKeyOf({ fall, ...subject }) ?? '', {
    isAcknowledged: true,
    closedAt: start + at,
  });
  return { state: next, situations: events.map(({ situation }) => situation) };
};
/** A fall report without a start time. */
const startless = (status: string) => a.fall(status, 0);

describe('closing a fall', () => {
  test('a closed fall counts as finished after an alarm, and as canceled otherwise', () => {
    const alarmed = play(active, [0, a.fall('calling', start)]).state;
    const closed = close(alarmed, start);
    expect(closed.situations).toEqual(['fall_finished']);
    expect(close(closed.state, start)).toEqual({ state: closed.state, situations: [] });
    expect(close(play(active, [0, a.fall('fall_detected', start)]).state, start).situations).toEqual(['fall_canceled']);
    expect([hasFallForPeople(alarmed), hasFallForPeople(closed.state)]).toEqual([true, false]);
  });

  test('closing a fall suppresses all later reports about it', () => {
    const reports = ['fall_detected', 'fall_confirmed', 'calling', 'on_call', 'finished', 'canceled'] as const;
    const again = reports.map((status, at) => [60_000 * at, a.fall(status, start)] as const);
    const canceled = play(active, [0, a.fall('fall_detected', start)], [1, a.fall('canceled', start)]).state;
    for (const state of [canceled, active]) {
      const closed = close(state, start);
      expect([...closed.situations, ...play(closed.state, ...again).situations]).toEqual([]);
    }
  });

  test('the state keeps at most six closed falls', () => {
    let state = active;
    for (let fall = 0; fall < 50; fall++) state = close(state, start + fall).state;
    expect(state.falls).toHaveLength(6);
  });

  test('closing a fall leaves other falls on the sensor open', () => {
    const two = play(active, [0, a.fall('calling', start)], [1, a.fall('calling', start + 1)]).state;
    const closed = close(two, start).state;
    expect(closed.falls.map((fall) => fall.closedAt !== undefined)).toEqual([false, true]);
    expect(close(two, start, 0, { isSensitive: true }).situations).toEqual([]);
  });
});

describe('closed falls without a start', () => {
  const fallen = play(active, [0, startless('calling')]).state;
  const closed = close(fallen, fallen.falls[0]?.start ?? 0, 10 * SECOND).state;

  test.each(['calling', 'on_call', 'fall_confirmed'])(
    'a %s report within two minutes does not reopen a closed undated fall',
    (status) => {
      expect(play(closed, [130 * SECOND, startless(status)]).situations).toEqual([]);
    },
  );
  test('a closed undated fall does not suppress the alarm for the next one', () => {
    expect(play(closed, [130 * SECOND + 1, startless('calling')]).situations).toEqual(['fall_detected']);
  });
  test.each(['finished', 'canceled'])('a %s report does not affect a closed undated fall, however late', (status) => {
    expect(play(closed, [3_600 * SECOND, startless(status)]).situations).toEqual([]);
  });
  test('a closed undated fall does not prevent the next one from ending', () => {
    const next = play(closed, [200 * SECOND, startless('calling')], [260 * SECOND, startless('finished')]);
    expect(next.situations).toEqual(['fall_detected', 'fall_finished']);
  });
});

describe('closed track falls', () => {
  const fallen = play(active, [0, b.pose(7, 2)], [1, b.pose(7, 5)]).state;
  const closed = close(fallen, start, 0, { track: 7 });
  const { state } = closed;

  test('people can close a track fall while the person stays in the same posture', () => {
    expect(closed.situations).toEqual(['fall_finished']);
    expect(hasFallForPeople(state)).toBe(false);
    const happening = { situation: 'fall_detected' as const, region: null, subject: { fall: start, track: 7 } };
    expect(isSituationOver(state, { happening, receiveDate: start })).toBe(true);
  });
  test('a closed track fall does not cause an event when the person gets up or leaves', () => {
    for (const message of [b.pose(7, 1), b.move(7, 2), b.people(0)])
      expect(play(state, [60 * SECOND, message]).situations.filter((name) => name?.startsWith('fall'))).toEqual([]);
  });
  test('a new fall on the track is reported after another pose or a pause', () => {
    expect(play(state, [60 * SECOND, b.pose(7, 1)], [61 * SECOND, b.pose(7, 5)]).situations).toEqual(['fall_detected']);
    const later = play(state, [300 * SECOND, b.pose(7, 5)], [601 * SECOND, b.pose(7, 5)]);
    expect(later.situations).toEqual(['fall_detected']);
    expect(later.state.tracks).toMatchObject([{ since: start + 601 * SECOND, fallPostures: ['fallen'] }]);
    expect(later.state.tracks?.[0]).not.toHaveProperty('isClosed');
  });
});

test('a response to another kind of alarm leaves simultaneous falls unchanged', () => {
  const { state } = play(active, [0, a.fall('calling', start)]);
  const answer = { isAcknowledged: true, closedAt: null };
  expect(answerStep(state, eventKeyOf(firstIdAt(start)), answer)).toEqual({ state, events: [] });
  expect(answerStep(state, fallKeyOf({ fall: start }) ?? '', answer).state).not.toEqual(state);
});
