import * as z from 'zod';
import { fallStatuses } from '#shared/domain/event/message.ts';
import { millis, uuid } from '#shared/domain/values.ts';
import { EXAMPLE_TIME, type MessageKind } from '../message-fields.ts';

// The maker A messages as documented and decoded. Only fields that say what happened are required.

const time = (what: string) => millis.optional().describe(`${what}, ms since the Unix epoch`);
const flag = (what: string) => z.boolean().optional().describe(what);
const coordinate = (what: string) => z.number().min(-100_000).max(100_000).describe(`cm, ${what}`);

const ids = {
  uuid: uuid.optional().describe('Identifies the message: duplicates with the same one count once'),
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
    .describe('Positions of people; the first one locates the event if there is no `fallLoc`'),
};
const fall = {
  timestamp: time('Start of the fall, which identifies it: the same in all messages of a fall'),
  statusUpdateTimestamp: time('Time of this status'),
  fallLocX_cm: coordinate('location of the fall, to the right of the sensor').optional(),
  fallLocY_cm: coordinate('to the front').optional(),
  fallLocZ_cm: coordinate('above the floor; 0 if it is missing').optional(),
  isSimulated: flag('A test, which fires only rules with `includeSimulated`'),
  isLearning: flag('The device is in its learning phase; `false` ends the learning mode of the sensor'),
  isSilent: flag('The fall leads to events, but fires no rule'),
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
    'Presence in the room and its regions. A change of `presenceDetected` leads to `presence / occupied_room` or ' +
    '`presence / empty_room`, a change of a region in `presenceRegionMap` to `region / entered` or `left`, ' +
    '`bed / entered` or `left`, `door / entered` or `left`, by the kind of the region. Without a change there is no event.',
  fields: z.object({
    presenceDetected: flag('Whether somebody is in the room'),
    presenceRegionMap: z
      .record(z.string().regex(REGION), z.literal([0, 1]))
      .optional()
      .describe('1 if somebody is in the region with this `positionIdx`, 0 if not'),
    timestamp: time('Time of the report'),
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
    'A fall and its states. `fall_detected` (the device starts its analysis) leads to `fall / fall_suspected`, ' +
    '`fall_confirmed` to `fall / confirmed`, `calling` to `fall / fall_detected`, which is the alarm, `finished` to `fall / finished`, `fall_exit` ' +
    'and `canceled` to `fall / canceled`. Three starts within five minutes without `calling` also lead to `fall / fall_loop`. If the device ' +
    'stops reporting, time advances the fall, according to the critical configuration of the sensor: `confirmed` after the larger of ' +
    '`durationUntilConfirmSec` (from v0.40; before, at once) and `energyDurationUntilConfirm` (from v0.42), then `fall_detected` after ' +
    '`confirmedToAlertTimeoutSec`, then `finished` after `callingDurationSec` (before v0.38 `callingToFinishTime`). Such an event is dated ' +
    'by the configuration, and created up to 3 s later, so that a report of the device takes precedence.',
  fields: z.object({
    status: z.enum([...fallStatuses, 'on_call']).describe('State of the fall; `on_call` counts as `calling`'),
    ...fall,
  }),
} satisfies MessageKind;

const sensitiveFalls = {
  name: 'SensitiveFall',
  example: { status: 'calling', timestamp: EXAMPLE_TIME, statusUpdateTimestamp: EXAMPLE_TIME + 20_000 },
  description:
    'A fall that the sensitivity mode detected. `fall_suspected` leads to `fall / fall_suspected_sensitive`, `calling` to ' +
    '`fall / fall_detected_sensitive`, which is the alarm, `finished` to `fall / finished`, `fall_exit` and `canceled` to `fall / canceled`.',
  fields: z.object({
    status: z
      .enum(['fall_suspected', 'calling', 'on_call', 'finished', 'fall_exit', 'canceled'])
      .describe('State of the fall; `on_call` counts as `calling`'),
    ...fall,
  }),
} satisfies MessageKind;

const bedExit = {
  name: 'BedExit',
  example: { timestamp: EXAMPLE_TIME },
  description:
    'Somebody left the bed: `bed / left`. Further exits are suppressed for the `bedExitSuspendDuration` of the sensor.',
  fields: z.object({
    timestamp: time('Time of the exit'),
    statusUpdateTimestamp: time('The same; takes precedence over `timestamp`'),
    ...placed,
    ...ids,
  }),
} satisfies MessageKind;

const state = {
  name: 'State',
  example: { versionName: '0.42.1' },
  description:
    'The state of the device. It leads to no event, but makes an inactive sensor active, like any message. `payload` may also be sent ' +
    'without `type` around it.',
  fields: z.object({
    status: z.unknown().optional().describe('Stored, not interpreted'),
    versionName: z
      .string()
      .max(64)
      .optional()
      .describe('Firmware, such as `0.42.1` or `product-v0.42.1`, which sets the version of the sensor to 42'),
    ...ids,
  }),
} satisfies MessageKind;

/** Every maker A message kind by `type`. The fields are in `payload`. */
export const messagesOfMakerA = { 4: presence, 5: falls, 8: sensitiveFalls, 10: bedExit, state };
