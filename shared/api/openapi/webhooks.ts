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
 * The headers of a delivery, besides those of the webhook's authentication. Receivers verify deliveries with them.
 */
const headers = [
  header('webhook-id', 'Id of the delivery, the same for all attempts and replays', true),
  header('webhook-timestamp', 'Start of the attempt, in seconds since the epoch', true),
  header(
    'webhook-signature',
    '`v1,` and an HMAC-SHA256 in base64; several, separated by spaces, while a secret is rotated',
    false,
  ),
  header('X-Service-Cloud-Signature', '`sha256=` and the HMAC-SHA256 of the body in lower-case hex', false),
  header('X-Service-Cloud-Test', '`true` for a test of the webhook', false),
];

type Request = {
  name: string;
  payload: z.ZodType;
  mediaType: string;
  tag: string;
  summary: string;
  description: string;
};

const pathOf = (write: Write, { name, payload, mediaType, tag, summary, description }: Request): [string, Json] => {
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
          'Gone: after two minutes of nothing else, the webhook is disabled and its pending deliveries are held',
      },
      default: { description: 'Failed: retried according to the retry schedule of the webhook' },
    },
  };
  return [name, { post: operation }];
};

/** Feedback for the maker of a sensor, which no customer's webhook gets. */
const feedback: Request = {
  name: 'feedback',
  payload: FeedbackPayload,
  mediaType: JSON_TYPE,
  tag: 'feedback',
  summary: 'Feedback from a user, forwarded to the maker of the sensor',
  description:
    'Sent to the address, and signed with the secret, that the operator of the service and the maker agreed on. ' +
    'May be delivered more than once, with the same `webhook-id`.',
};

/** Describes the requests that the service sends to webhooks (D2), by format, and to makers. */
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
          'Deliveries of a sensor may arrive out of order, especially after a retry. Order them by the time of the event ' +
          '(`event.createDate` in Full, `createDate` in Custom 1; Chat and Teams show it), not by arrival. ' +
          'Each may be delivered more than once, with the same `webhook-id`.',
      }),
    ),
    pathOf(write, feedback),
  ]);
