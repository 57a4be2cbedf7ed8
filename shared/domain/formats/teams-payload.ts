import * as z from 'zod';
import { pageUrl } from './payload-parts.ts';

/** The Adaptive Card media type. */
const CARD = 'application/vnd.microsoft.card.adaptive';

/** Always null. The document declares a URL, because generators do not support types that are only null. */
const NoUrl = z.null().meta({ type: ['string', 'null'] });
const nonEmpty = z.string().min(1);
const TextRun = z.strictObject({
  type: z.literal('TextRun'),
  text: nonEmpty,
  size: z.literal('large').optional(),
  weight: z.literal('bolder').optional(),
  isSubtle: z.literal(true).optional(),
  selectAction: z
    .strictObject({ type: z.literal('Action.OpenUrl'), url: pageUrl })
    .optional()
    .meta({ description: "Turns a web address in the rule's title or message into a link" }),
});
const RichTextBlock = z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(TextRun).min(1) });
const Container = z.strictObject({
  type: z.literal('Container'),
  style: z.enum(['attention', 'warning', 'good', 'accent']),
  bleed: z.literal(true),
  items: z.array(RichTextBlock).min(1),
});
const Card = z
  .strictObject({
    $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
    type: z.literal('AdaptiveCard'),
    version: z.literal('1.2'),
    body: z.tuple([Container]),
    actions: z
      .tuple([z.strictObject({ type: z.literal('Action.OpenUrl'), title: nonEmpty, url: pageUrl })])
      .optional()
      .meta({ description: 'The button to acknowledge the alarm, if there is one' }),
  })
  .meta({ id: 'AdaptiveCard' });

const line = (label: string, value: string) => ({
  type: 'RichTextBlock',
  inlines: [
    { type: 'TextRun', text: label, isSubtle: true },
    { type: 'TextRun', text: value },
  ],
});
const items = [
  {
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: 'Fall: Room 1', size: 'large', weight: 'bolder' }],
  },
  { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'Somebody is on the floor' }] },
  line('Situation: ', 'Fall detected'),
  line('Sensor: ', 'Room 1'),
  line('Place: ', 'Maple House, Ground floor'),
  line('Time: ', '2026-11-21 00:47 Europe/Berlin'),
];
const content = {
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.2',
  body: [{ type: 'Container', style: 'attention', bleed: true, items }],
};

/** The Teams payload: a message with one Adaptive Card. */
export const TeamsPayload = z
  .strictObject({
    type: z.literal('message'),
    attachments: z.tuple([z.strictObject({ contentType: z.literal(CARD), contentUrl: NoUrl, content: Card })]),
  })
  .meta({
    id: 'TeamsPayload',
    examples: [{ type: 'message', attachments: [{ contentType: CARD, contentUrl: null, content }] }],
  });
export type TeamsPayload = z.input<typeof TeamsPayload>;
