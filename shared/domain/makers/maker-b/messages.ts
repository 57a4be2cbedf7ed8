import * as z from 'zod';
import { millis, uuid } from '#shared/domain/values.ts';
import type { MessageKind } from '../message-fields.ts';

// The maker B messages as documented and decoded. Their content is in `data`.

// A track without a valid number is still a person. All such tracks count as track 0.
const track = z.int().min(0).max(2_147_483_647).describe('Number of the tracked person; 0 if missing');

/** A person enters or leaves the room or an area in it. */
export const MoveEntry = z.object({
  'track-id': track.optional(),
  event: z.literal([1, 2, 3, 4]).describe('1 enters the room, 2 leaves it, 3 enters an area, 4 leaves it'),
  area_type: z.int().min(0).optional().describe('2 bed, 4 door, 5 monitored bed, all others default'),
  area_id: z.int().min(0).max(63).optional().describe("The region's `positionIdx`"),
});
export const PostureEntry = z.object({
  'track-id': track.optional(),
  pose: z
    .int()
    .min(0)
    .max(255)
    .describe(
      '2 suspected fall, 5 fall, 7 and 8 suspected and confirmed sitting on the ground, 10 and 11 suspected and ' +
        "confirmed sitting up in bed; any other pose ends the track's fall",
    ),
});

const rate = (what: string) => z.number().min(0).max(1_000).optional().describe(`${what} per minute; 0: not measured`);

/** A maker B message kind, identified by `cmd` and `type`. */
type Kind = MessageKind & { type: number | null };

const moves = {
  name: 'InOut',
  example: { data: [{ 'track-id': 1, event: 3, area_type: 2, area_id: 0 }] },
  type: 1,
  description:
    'People who enter or leave. The first person to enter the room creates `presence / occupied_room`, the last to ' +
    'leave creates `presence / empty_room`; areas create `bed / entered` or `left`, `door / entered` or `left`, ' +
    '`region / entered` or `left`.',
  fields: z.object({ data: z.array(MoveEntry).max(64) }),
} satisfies Kind;
const postures = {
  name: 'Posture',
  example: { data: [{ 'track-id': 1, pose: 5 }] },
  type: 2,
  description:
    'Postures. 2 creates `fall / fall_suspected`, 5 creates `fall / fall_detected`, 7 creates `fall / ' +
    'fall_suspected_sensitive`, 8 creates `fall / fall_detected_sensitive`, 11 creates `posture / ' +
    'sitting_up_in_bed`. Another pose on the same track ends the fall: `fall / finished` after 5 or 8, otherwise ' +
    '`fall / canceled`. Three 2s within five minutes also create `fall / fall_loop`. A repeated fall pose counts ' +
    'as a duplicate, unless the track has not sent a posture for more than five minutes.',
  fields: z.object({ data: z.array(PostureEntry).max(64) }),
} satisfies Kind;
const people = {
  name: 'People',
  example: { data: { 'number-people': 1 } },
  type: 3,
  description:
    'How many people are in the room: `presence / occupied_room` or `presence / empty_room` when presence changes.',
  fields: z.object({ data: z.object({ 'number-people': z.int().min(0).max(1_000).describe('Number of people') }) }),
} satisfies Kind;
const online = {
  name: 'Online',
  example: { data: { status: 1 } },
  type: 5,
  description: 'The sensor goes offline (`sensor / inactive`) or comes back online (`sensor / active`).',
  fields: z.object({ data: z.object({ status: z.literal([0, 1]).describe('0 online, 1 offline') }) }),
} satisfies Kind;
const weakSignal = {
  name: 'WeakSignal',
  example: {},
  type: 7,
  description: 'The radio signal is weak: `sensor / weak_signal`. Data is not needed.',
  fields: z.object({}),
} satisfies Kind;
const tilted = {
  name: 'Tilted',
  example: {},
  type: 8,
  description: 'The sensor was moved: `sensor / tilted`. Data is not needed.',
  fields: z.object({}),
} satisfies Kind;
const vital = {
  name: 'VitalSigns',
  example: { data: { respirationRate: 14, heartRate: 62 } },
  type: null,
  description:
    'Vital signs, with `cmd` `stat`. An alarm creates `vital / respiration_high`, `respiration_low`, `apnea`, ' +
    '`heart_rate_high`, `heart_rate_low` or `vital_signs_weak`.',
  fields: z.object({
    data: z.object({
      respirationRate: rate('Breaths'),
      heartRate: rate('Heart beats'),
      alarmType: z
        .int()
        .min(0)
        .optional()
        .describe(
          '11, 12 respiration high, low; 13 apnea; 14, 15 heart rate high, low; 16 weak vital signs; others: none',
        ),
    }),
  }),
} satisfies Kind;

/** Every maker B message kind. */
export const messagesOfMakerB = { moves, postures, people, online, weakSignal, tilted, vital };

/** Fields in every maker B message, besides its kind and data. */
export const CommonFields = z.object({
  timestamp: millis.optional().describe('Message time, ms since the Unix epoch; can be in `data` instead'),
  uuid: uuid.optional().describe('Identifies the message: duplicates count once'),
  sensorEventId: uuid.optional().describe('Alias of `uuid`'),
});
