import * as z from 'zod';
import { kindsWithoutRules, NormalizedCoordinates, Situation } from '../event/event.ts';
import { kinds } from '../kinds.ts';
import { Acknowledgement } from '../rule/acknowledgement-view.ts';
import { MAX_SENT_LENGTH } from '../rule/rule-texts.ts';
import { int64, millis } from '../values.ts';
import { exampleValues, textBetween } from './payload-parts.ts';

const nonEmpty = z.string().min(1);
const allKinds = [...Object.values(kinds), ...Object.values(kindsWithoutRules)];

const Service = z.strictObject({ name: z.string(), url: z.string(), version: z.string() });
const SendingWebhook = z.strictObject({ id: z.uuid(), name: z.string(), isCustomerHook: z.boolean() });
const SentEvent = z.strictObject({
  id: int64,
  uuid: z.uuid(),
  createDate: millis,
  type: z.string().meta({ description: `One of: ${[...new Set(allKinds.map(({ type }) => type))].join(', ')}` }),
  action: z
    .string()
    .meta({ description: `By type: ${allKinds.map((kind) => `${kind.type}/${kind.action}`).join(', ')}` }),
  normalizedCoordinates: NormalizedCoordinates.nullable(),
  raw: z.record(z.string(), z.unknown()).meta({
    description: 'The device message; numbers keep all digits; {} without a message',
  }),
});
const SentRule = z.strictObject({
  id: int64,
  createDate: millis,
  name: nonEmpty,
  title: textBetween(1, MAX_SENT_LENGTH.title),
  message: textBetween(1, MAX_SENT_LENGTH.message),
  groupId: int64.meta({ description: '0 without a group' }),
  situation: Situation,
  situationDescription: nonEmpty,
  hasRegion: z.boolean(),
  regionIndex: z.int().min(-1),
  regionName: z.string(),
});

/** The Full payload (D2 "Full format"). All keys are always present. */
export const FullPayload = z
  .strictObject({
    service: Service,
    webhook: SendingWebhook,
    event: SentEvent,
    sensor: z.strictObject({ id: z.string().regex(/^id_/), name: z.string(), groupId: int64 }),
    customer: z.strictObject({ id: int64, name: z.string(), location: z.string() }).nullable(),
    rule: SentRule.nullable().meta({ description: 'null if the delivery was not caused by a rule' }),
    acknowledgeUrl: z
      .string()
      .nullable()
      .meta({
        description:
          'POST to this URL, or open it as a page, to acknowledge the alarm; valid for 24 hours; null if the delivery ' +
          'was not caused by a rule',
      }),
    acknowledgement: z
      .strictObject({ ruleHitId: int64.nullable(), ...Acknowledgement.shape })
      .nullable()
      .meta({
        description:
          'for the event alarm/acknowledged, who acknowledged which alarm (`ruleHitId` is null for a whole fall); ' +
          'otherwise null',
      }),
  })
  .meta({
    id: 'FullPayload',
    examples: [
      {
        service: { name: 'Sensor Cloud', url: 'https://cloud.example.com', version: '1.0.0' },
        webhook: { id: '0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11', name: 'Nurse call, ward 2', isCustomerHook: false },
        event: {
          id: 245_166_702_886_912,
          uuid: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
          createDate: 1_795_230_444_137,
          type: 'fall',
          action: 'fall_detected',
          normalizedCoordinates: exampleValues.point,
          raw: { type: 5, payload: { status: 'calling', timestamp: 1_795_230_352_137 } },
        },
        sensor: { id: exampleValues.sensorId, name: 'Room 1', groupId: 0 },
        customer: { id: 3, name: 'Maple House', location: 'Ground floor' },
        rule: {
          id: 4,
          createDate: 1_795_000_000_000,
          name: 'Falls at night',
          title: 'Fall: Room 1',
          message: 'Fall detected at 2026-11-20 23:47, Ground floor',
          groupId: 0,
          situation: 'fall_detected',
          situationDescription: 'Fall detected',
          hasRegion: false,
          regionIndex: -1,
          regionName: '',
        },
        acknowledgeUrl: 'https://cloud.example.com/api/v1/acknowledge/12884901889-0-1795316844-c2lnbmVkIGJ5IHRoZSBrZX',
        acknowledgement: null,
      },
    ],
  });
export type FullPayload = z.input<typeof FullPayload>;
