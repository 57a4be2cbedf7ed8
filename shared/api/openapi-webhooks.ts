import type * as z from 'zod';
import { Custom1Payload, FullPayload, RawPayload } from '../domain/payload.ts';

type Json = Record<string, unknown>;
type Write = (schema: z.ZodType, io: 'input' | 'output') => Json;

const header = (name: string, description: string, required: boolean): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

/** What a receiver can check a delivery by, besides what the authentication of its webhook asks for. */
const headers = [
  header('webhook-id', 'Id of the delivery: the same for all its attempts and replays', true),
  header('webhook-timestamp', 'Seconds since the epoch at the start of the attempt', true),
  header('webhook-signature', '`v1,` and a base64 HMAC-SHA256; several, separated by spaces, during a rotation', false),
  header('X-Service-Cloud-Signature', '`sha256=` and the HMAC-SHA256 of the body in lower-case hex', false),
  header('X-Service-Cloud-Test', '`true` for a test of the webhook', false),
];

const formats = {
  full: { schema: FullPayload, summary: 'An event in the format Full' },
  custom1: { schema: Custom1Payload, summary: 'An event in the format Custom 1; for bots' },
  raw: { schema: RawPayload, summary: 'A message of a device, as it was sent' },
} as const;

/** D2: the requests that the service makes, by the format of the webhook. */
export const webhookPaths = (write: Write): Json =>
  Object.fromEntries(
    Object.entries(formats).map(([format, { schema, summary }]) => {
      const [example] = (schema.meta()?.examples ?? []) as unknown[];
      const content = { 'application/json': { schema: write(schema, 'output'), example } };
      const operation = {
        operationId: `receive${format.charAt(0).toUpperCase()}${format.slice(1)}`,
        tags: ['deliveries'],
        summary,
        parameters: headers,
        security: [],
        requestBody: { required: true, content },
        responses: {
          '2XX': { description: 'Delivered' },
          410: { description: 'Gone: the webhook is disabled, and what waits for it is held' },
          default: { description: 'Tried again, by the schedule of the webhook' },
        },
      };
      return [format, { post: operation }];
    }),
  );
