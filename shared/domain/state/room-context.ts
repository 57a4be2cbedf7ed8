import { criticalFields } from '../config/critical.ts';
import { defaultsOf, type Values } from '../config/field.ts';
import type { Region } from '../room.ts';

/** When a message was received (ms, our clock), and when it says that it happened, as far as that is believed. */
export type When = { received: number; time: number };

/** How long a fall stays in each of its states, s. `confirm` null: the firmware has no such state. */
export type Timings = { confirm: number | null; alert: number; calling: number };

/** What a step may need to know besides the state; each part is loaded only when needsOf asks for it. */
export type RoomContext = {
  regions: readonly Region[];
  timings: Timings;
  /** s during which no further bed exit is told after one. */
  bedExitSuspend: number;
};

type Critical = Values<typeof criticalFields>;

/** What a sensor's critical configuration and firmware (v0.N) say of times; `stored` null: its defaults hold. */
export const timesOf = (stored: Partial<Critical> | null, firmware: number): Omit<RoomContext, 'regions'> => {
  const critical = { ...defaultsOf(criticalFields), ...stored } as Critical;
  const seconds = (value: number) => Math.max(0, value);
  return {
    timings: {
      confirm: firmware >= 40 ? seconds(critical.durationUntilConfirmSec) : null,
      alert: seconds(critical.confirmedToAlertTimeoutSec),
      calling: seconds(firmware >= 38 ? critical.callingDurationSec : critical.callingToFinishTime),
    },
    bedExitSuspend: seconds(critical.bedExitSuspendDuration),
  };
};

export const noRoomContext: RoomContext = { regions: [], ...timesOf(null, 42) };
