import { reasonOf } from '#lib/client/problem.ts';
import type { SensorConnection } from '#lib/home/sensor-connection.ts';
import type { What } from '#lib/simulate/day.ts';
import { asleep, whereAfter, wordsOf } from '#lib/simulate/makers.ts';
import type { DeviceMessage } from '#openapi';
import type { Clock } from '../clock.ts';

type Say = (line: string) => void;

/** The moments that repeat in each room: people come and go, and now and then somebody falls. */
const moments: readonly What[] = ['enter_room', 'leave_room', 'enter_room', 'fall', 'leave_room'];

/** Yields the messages of a sensor one after the other, each with the time at which it is asked for. */
function* wordsIn(now: () => number): Generator<DeviceMessage, never> {
  for (let where = asleep; ; )
    for (const what of moments) {
      where = whereAfter(where, { what });
      const start = now();
      for (const { message } of wordsOf('maker_a', what, where))
        yield message((after) => (after === 0 ? start : now()));
    }
}

/** Sends messages of the demo's sensors, of one sensor every `everyMs`. Gives a function that stops it. */
export const simulate = (
  sensors: readonly SensorConnection[],
  { now, after }: Clock,
  everyMs: number,
  say: Say,
): (() => void) => {
  const words = sensors.map(() => wordsIn(now));
  let turn = 0;
  const move = async (): Promise<void> => {
    const which = turn++ % sensors.length;
    const sensor = sensors[which];
    if (!sensor) return;
    const message = words[which]?.next().value;
    if (message) await sensor.send(message);
  };
  let trouble = '';
  // What fails again and again for the same reason is said once.
  const note = (error: unknown): void => {
    const reason = reasonOf(error);
    if (reason !== trouble) say(`simulator: ${reason}`);
    trouble = reason;
  };
  const next = (): void => {
    cancel = after(everyMs, next);
    move().catch(note);
  };
  let cancel = after(everyMs, next);
  return () => cancel();
};
