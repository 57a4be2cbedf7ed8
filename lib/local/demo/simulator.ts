import { reasonOf } from '#lib/client/problem.ts';
import type { SensorConnection } from '#lib/home/sensor-connection.ts';
import type { Occurrence } from '#lib/simulate/day.ts';
import { asleep, messagesAbout, roomStateAfter } from '#lib/simulate/makers.ts';
import type { DeviceMessage } from '#openapi';
import type { Clock } from '../clock.ts';

type Say = (line: string) => void;

/** What happens in each room, over and over: people come and go, and now and then someone falls. */
const moments: readonly Occurrence[] = ['enter_room', 'leave_room', 'enter_room', 'fall', 'leave_room'];

/** Yields a sensor's messages, each stamped with the time at which it is requested. */
function* messagesOf(now: () => number): Generator<DeviceMessage, never> {
  for (let where = asleep; ; )
    for (const what of moments) {
      where = roomStateAfter(where, { what });
      const start = now();
      for (const { message } of messagesAbout('maker_a', what, where))
        yield message((after) => (after === 0 ? start : now()));
    }
}

/**
 * Sends a message from each demo sensor, and then one every `everyMs` from the sensors in turn. Returns a function that
 * stops the simulation.
 */
export const simulate = (
  sensors: readonly SensorConnection[],
  { now, after }: Clock,
  everyMs: number,
  say: Say,
): (() => void) => {
  const streams = sensors.map(() => messagesOf(now));
  let turn = 0;
  const sendNext = async (): Promise<void> => {
    const index = turn++ % sensors.length;
    const sensor = sensors[index];
    if (!sensor) return;
    const message = streams[index]?.next().value;
    if (message) await sensor.send(message);
  };
  let lastReason = '';
  // A reason is printed once, however often it recurs.
  const report = (error: unknown): void => {
    const reason = reasonOf(error);
    if (reason !== lastReason) say(`simulator: ${reason}`);
    lastReason = reason;
  };
  const tick = (): void => {
    cancel = after(everyMs, tick);
    sendNext().catch(report);
  };
  let cancel = after(everyMs, tick);
  // Until the first message, a sensor is offline and its room is not watched.
  for (const _ of sensors) sendNext().catch(report);
  return () => cancel();
};
