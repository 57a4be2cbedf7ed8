import type * as z from 'zod';
import { Format } from '../../domain/formats/format.ts';
import { formats } from '../../domain/formats/formats.ts';
import { payloads } from '../../domain/formats/payloads.ts';

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

/** Describes the requests that the service sends to webhooks (D2), by format. */
export const webhookPaths = (write: Write): Json =>
  Object.fromEntries(
    Format.options.map((format) => {
      const payload = payloads[format];
      const [example] = (payload.meta()?.examples ?? []) as unknown[];
      const content = { 'application/json': { schema: write(payload, 'output'), example } };
      const operation = {
        operationId: `receive${format.charAt(0).toUpperCase()}${format.slice(1)}`,
        tags: ['deliveries'],
        summary: formats[format].summary,
        description:
          'Deliveries of one sensor may overtake each other, most of all when one is tried again: order them by the time ' +
          'of what happened (`event.createDate` in Full, `createDate` in Custom 1), not by their arrival. Each may come more than once, under the same `webhook-id`.',
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
      return [format, { post: operation }];
    }),
  );
