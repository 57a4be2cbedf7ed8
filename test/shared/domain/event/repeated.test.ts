import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { messageUuid } from '#shared/domain/event/message.ts';
import { withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerB } from '#shared/domain/makers/maker-b/decode.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';
import { b } from '#test/fixtures/messages.ts';

const start = 1_800_000_000_000;
/** A message that the device sends at this second on the device clock. */
const at = (second: number, message: object) => ({ ...message, timestamp: start + second * 1_000 });

/** The situations that result from messages received in sequence, starting a minute later, and the final state. */
const play = (...messages: object[]): { situations: string[]; state: SensorState } => {
  let state: SensorState = { ...newSensorState, isActive: true };
  const situations = messages.map((message, number) => {
    const raw = JSON.stringify(message);
    const receiveDate = start + 60_000 + number;
    const decoded = withTrustedTimes(decodeMakerB(message), receiveDate);
    const uuid = messageUuid('s', decoded, raw, [receiveDate, 0]);
    const { next, events } = stepByMessage(
      state,
      decoded,
      { uuid, receiveDate, sensorId: 's', source: uuid, raw },
      noRoomContext,
    );
    state = next;
    return events.map(({ happening }) => happening.situation ?? 'unknown').join(' ');
  });
  return { situations, state };
};

describe('duplicate maker B messages without an event', () => {
  test('a duplicate pose does not reopen a fall that has ended', () => {
    const lies = at(10, b.pose(1, 5));
    const { situations } = play(at(0, b.pose(1, 5)), lies, at(20, b.pose(1, 4)), lies);
    expect(situations).toEqual(['fall_detected', '', 'fall_finished', '']);
  });
  test('a duplicate pose does not end an open fall', () => {
    const stands = at(0, b.pose(1, 4));
    expect(play(stands, at(5, b.pose(1, 5)), stands, at(9, b.pose(1, 4))).situations).toEqual([
      '',
      'fall_detected',
      '',
      'fall_finished',
    ]);
  });
  test('a duplicate move does not count a person twice', () => {
    const first = at(0, b.move(1, 1));
    const second = at(1, b.move(2, 1));
    expect(play(first, second, second, at(2, b.move(3, 2)), second, at(3, b.move(4, 2))).situations).toEqual([
      'occupied_room',
      '',
      '',
      '',
      '',
      'empty_room',
    ]);
  });
  test('a duplicate count does not change the number of people', () => {
    const counts = [at(0, b.people(1)), at(5, b.people(2)), at(9, b.people(0))];
    expect(play(...counts, at(5, b.people(2)))).toMatchObject({
      situations: ['occupied_room', '', 'empty_room', ''],
      state: { people: 0 },
    });
  });
});

test('a late maker B report raises the fall alarm unless it is a duplicate', () => {
  const messages = [at(0, b.pose(1, 1)), at(20, b.pose(1, 4)), at(10, b.pose(1, 5))];
  expect(play(...messages).situations).toEqual(['', '', 'fall_detected fall_finished']);
});

test('a sensor remembers a limited number of messages without an event', () => {
  const many = Array.from({ length: 100 }, (_, second) => at(second, b.move(second, 1)));
  expect(JSON.stringify(play(...many).state.eventless).length).toBeLessThan(200);
});
