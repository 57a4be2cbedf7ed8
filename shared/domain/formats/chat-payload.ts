import * as z from 'zod';
import { pageAddress } from './payload-parts.ts';

const some = z.string().min(1);
const Color = z.string().regex(/^#[0-9a-f]{6}$/);
const Attachment = z.strictObject({
  fallback: some,
  color: Color,
  text: some,
  fields: z.array(z.strictObject({ title: some, value: some, short: z.literal(true) })).min(1),
});
const ToPress = z.strictObject({ fallback: some, color: Color, title: some, title_link: pageAddress });

/** The payload of the format Chat: what incoming webhooks of Slack, Mattermost and Rocket.Chat understand alike. */
export const ChatPayload = z
  .strictObject({
    text: some.meta({ description: 'The title of the rule' }),
    attachments: z
      .array(z.union([Attachment, ToPress]))
      .min(1)
      .max(2)
      .meta({
        description: 'What is told; then the link by which a person acknowledges, where that is asked',
      }),
  })
  .meta({
    id: 'ChatPayload',
    examples: [
      {
        text: 'Fall: Room 1',
        attachments: [
          {
            fallback: 'Fall: Room 1',
            color: '#c92a2a',
            text: 'Somebody lies on the floor',
            fields: [
              { title: 'Situation', value: 'Fall detected', short: true },
              { title: 'Sensor', value: 'Room 1', short: true },
              { title: 'Place', value: 'Maple House, Ground floor', short: true },
              { title: 'Time', value: '2026-11-21 00:47 Europe/Berlin', short: true },
            ],
          },
        ],
      },
    ],
  });
export type ChatPayload = z.input<typeof ChatPayload>;
