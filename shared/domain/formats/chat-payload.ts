import * as z from 'zod';
import { pageUrl } from './payload-parts.ts';

const nonEmpty = z.string().min(1);
const Color = z.string().regex(/^#[0-9a-f]{6}$/);
const Attachment = z
  .strictObject({
    fallback: nonEmpty,
    color: Color,
    text: nonEmpty,
    fields: z.array(z.strictObject({ title: nonEmpty, value: nonEmpty, short: z.literal(true) })).min(1),
  })
  .meta({ id: 'ChatMessage' });
const LinkAttachment = z
  .strictObject({ fallback: nonEmpty, color: Color, title: nonEmpty, title_link: pageUrl })
  .meta({ id: 'ChatLink' });

/** The Chat payload, understood by incoming webhooks in Slack, Mattermost and Rocket.Chat. */
export const ChatPayload = z
  .strictObject({
    text: nonEmpty.meta({ description: 'The rule title' }),
    attachments: z
      .array(z.union([Attachment, LinkAttachment]).meta({ id: 'ChatAttachment' }))
      .min(1)
      .max(2)
      .meta({
        description: 'The message, then the acknowledgement link, if there is one',
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
            text: 'Somebody is on the floor',
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
