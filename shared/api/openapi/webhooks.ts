import type * as z from 'zod';
import { FeedbackPayload } from '#shared/domain/event/feedback-delivery.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { formats, JSON_TYPE } from '#shared/domain/formats/formats.ts';
import { payloads } from '#shared/domain/formats/payloads.ts';

type Json = Record<string, unknown>;
type Write = (schema: z.ZodType, io: 'input' | 'output') => Json;

const header = (name: string, description: string, required: boolean): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

/**
 * The headers of a delivery, besides those of the webhook's authentication. A receiver can check a delivery by them.
 */
const headers = [
  header('webhook-id', 'Id of the delivery: the same for all its attempts and replays', true),
  header('webhook-timestamp', 'Seconds since the epoch at the start of the attempt', true),
  header('webhook-signature', '`v1,` and a base64 HMAC-SHA256; several, separated by spaces, during a rotation', false),
  header('X-Service-Cloud-Signature', '`sha256=` and the HMAC-SHA256 of the body in lower-case hex', false),
  header('X-Service-Cloud-Test', '`true` for a test of the webhook', false),
];

type Sent = { name: string; payload: z.ZodType; mediaType: string; tag: string; summary: string; description: string };

const pathOf = (write: Write, { name, payload, mediaType, tag, summary, description }: Sent): [string, Json] => {
  const [example] = (payload.meta()?.examples ?? []) as unknown[];
  const content = { [mediaType]: { schema: write(payload, 'output'), example } };
  const operation = {
    operationId: `receive${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tags: [tag],
    summary,
    description,
    parameters: headers,
    security: [],
    requestBody: { required: true, content },
    responses: {
      '2XX': { description: 'Delivered' },
      410: {
        description:
          'Gone: after two minutes of nothing else the webhook is switched off, and its waiting deliveries are held',
      },
      default: { description: 'Tried again, by the retry schedule of the webhook' },
    },
  };
  return [name, { post: operation }];
};

/** What the maker gets, which is no customer's webhook. */
const ofMaker: Sent = {
  name: 'feedback',
  payload: FeedbackPayload,
  mediaType: JSON_TYPE,
  tag: 'feedback',
  summary: 'Feedback of a user, forwarded to the maker of the sensor',
  description:
    'It goes to the address that the operator of the service agreed with the maker, and is signed with the secret that ' +
    'they agreed on. It may come more than once, under the same `webhook-id`.',
};

/** Describes the requests that the service sends to webhooks (D2), by format, and to the maker. */
export const webhookPaths = (write: Write): Json =>
  Object.fromEntries([
    ...Format.options.map((format) =>
      pathOf(write, {
        name: format,
        payload: payloads[format],
        tag: 'deliveries',
        mediaType: formats[format].mediaType,
        summary: formats[format].summary,
        description:
          'Deliveries of one sensor may overtake each other, most of all when one is tried again: order them by the time ' +
          'of what happened (`event.createDate` in Full, `createDate` in Custom 1), not by their arrival; Chat and Teams tell it. Each may come more than once, under the same `webhook-id`.',
      }),
    ),
    pathOf(write, ofMaker),
  ]);
