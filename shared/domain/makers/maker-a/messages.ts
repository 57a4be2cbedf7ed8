import * as z from 'zod';
import { fallStatuses } from '#shared/domain/event/message.ts';
import { millis, uuid } from '#shared/domain/values.ts';
import { EXAMPLE_TIME, type MessageKind } from '../message-fields.ts';

// The maker A messages as documented and decoded. Only fields that say what happened are required.

const time = (what: string) => millis.optional().describe(`${what}, ms since the Unix epoch`);
const flag = (what: string) => z.boolean().optional().describe(what);
const coordinate = (what: string) => z.number().min(-100_000).max(100_000).describe(`cm, ${what}`);

const ids = {
  uuid: uuid.optional().describe('Identifies the message: duplicates count once'),
  sensorEventId: uuid.optional().describe('Alias of `uuid`'),
};
export const Target = z.object({
  xPosCm: coordinate('to the right of the sensor'),
  yPosCm: coordinate('to the front'),
  zPosCm: coordinate('above the floor').optional(),
});
const placed = {
  trackerTargets: z
    .array(Target)
    .max(64)
    .optional()
    .describe('Positions of people; without `fallLoc`, the first one locates the event'),
};
const fall = {
  timestamp: time('Start of the fall, which identifies it: the same in all messages about a fall'),
  statusUpdateTimestamp: time('Time of the status'),
  fallLocX_cm: coordinate('location of the fall, to the right of the sensor').optional(),
  fallLocY_cm: coordinate('to the front').optional(),
  fallLocZ_cm: coordinate('above the floor; 0 if missing').optional(),
  isSimulated: flag('A test, which fires only rules with `includeSimulated`'),
  isLearning: flag("The device is in the learning phase; `false` ends the sensor's learning mode"),
  isSilent: flag('The fall creates events, but does not fire rules'),
  exitReason: z.unknown().optional().describe('Why the device dropped the fall; stored, not interpreted'),
  ...placed,
  ...ids,
};

/** Matches a region index (`positionIdx`). */
export const REGION = /^(\d|1[0-5])$/;

const presence = {
  name: 'Presence',
  example: { presenceDetected: true, presenceRegionMap: { 0: 1 }, timestamp: EXAMPLE_TIME },
  description:
    'Presence in the room and in regions. When `presenceDetected` changes, this creates `presence / occupied_room` ' +
    'or `presence / empty_room`; when a region in `presenceRegionMap` changes, `region / entered` or `left`, `bed / ' +
    "entered` or `left`, `door / entered` or `left`, depending on the region's kind. Without a change there is no " +
    'event.',
  fields: z.object({
    presenceDetected: flag('Whether anyone is in the room'),
    presenceRegionMap: z
      .record(z.string().regex(REGION), z.literal([0, 1]))
      .optional()
      .describe('1 if anyone is in the region with this `positionIdx`, 0 if not'),
    timestamp: time('Report time'),
    statusUpdateTimestamp: time('The same; takes precedence over `timestamp`'),
    ...placed,
    ...ids,
  }),
} satisfies MessageKind;

const falls = {
  name: 'Fall',
  example: {
    status: 'calling',
    timestamp: EXAMPLE_TIME,
    statusUpdateTimestamp: EXAMPLE_TIME + 92_000,
    fallLocX_cm: 90,
    fallLocY_cm: 160,
    fallLocZ_cm: 20,
  },
  description:
    "A fall's state. `fall_detected` (the device starts an analysis) creates `fall / fall_suspected`, " +
    '`fall_confirmed` creates `fall / confirmed`, `calling` creates `fall / fall_detected`, which is the alarm, ' +
    '`finished` creates `fall / finished`, `fall_exit` and `canceled` create `fall / canceled`. Three starts within ' +
    'five minutes without `calling` also create `fall / fall_loop`. If the device stops reporting, timers advance ' +
    "the fall according to the sensor's critical configuration: `confirmed` after the larger of " +
    '`durationUntilConfirmSec` (from v0.40; before that, at once) and `energyDurationUntilConfirm` (from v0.42), then ' +
    '`fall_detected` after `confirmedToAlertTimeoutSec`, then `finished` after `callingDurationSec` (before v0.38 ' +
    '`callingToFinishTime`). Such an event is dated according to the configuration, and created up to 3 s later, so ' +
    'that a device report takes precedence.',
  fields: z.object({
    status: z.enum([...fallStatuses, 'on_call']).describe('Fall state; `on_call` counts as `calling`'),
    ...fall,
  }),
} satisfies MessageKind;

const sensitiveFalls = {
  name: 'SensitiveFall',
  example: { status: 'calling', timestamp: EXAMPLE_TIME, statusUpdateTimestamp: EXAMPLE_TIME + 20_000 },
  description:
    'A fall detected in sensitivity mode. `fall_suspected` creates `fall / fall_suspected_sensitive`, `calling` ' +
    'creates `fall / fall_detected_sensitive`, which is the alarm, `finished` creates `fall / finished`, `fall_exit` ' +
    'and `canceled` create `fall / canceled`.',
  fields: z.object({
    status: z
      .enum(['fall_suspected', 'calling', 'on_call', 'finished', 'fall_exit', 'canceled'])
      .describe('Fall state; `on_call` counts as `calling`'),
    ...fall,
  }),
} satisfies MessageKind;

const bedExit = {
  name: 'BedExit',
  example: { timestamp: EXAMPLE_TIME },
  description:
    "Someone left the bed: `bed / left`. Further exits are suppressed for the sensor's `bedExitSuspendDuration`.",
  fields: z.object({
    timestamp: time('Exit time'),
    statusUpdateTimestamp: time('The same; takes precedence over `timestamp`'),
    ...placed,
    ...ids,
  }),
} satisfies MessageKind;

const state = {
  name: 'State',
  example: { versionName: '0.42.1' },
  description:
    'The device state. Does not create an event, but makes an inactive sensor active, like any message. `payload` ' +
    'may also be sent without the surrounding `type`.',
  fields: z.object({
    status: z.unknown().optional().describe('Stored, not interpreted'),
    versionName: z
      .string()
      .max(64)
      .optional()
      .describe("Firmware, such as `0.42.1` or `product-v0.42.1`, which sets the sensor's version to 42"),
    ...ids,
  }),
} satisfies MessageKind;

/** Every maker A message kind by `type`. The fields are in `payload`. */
export const messagesOfMakerA = { 4: presence, 5: falls, 8: sensitiveFalls, 10: bedExit, state };
