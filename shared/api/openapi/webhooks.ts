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

/** The delivery headers, except for those used for authentication. Receivers use them to verify deliveries. */
const headers = [
  header('webhook-id', 'Delivery id, the same for all attempts and replays', true),
  header('webhook-timestamp', 'Start of the attempt, in seconds since the epoch', true),
  header(
    'webhook-signature',
    '`v1,` and an HMAC-SHA256 in base64; several, separated by spaces, while a secret is rotated',
    false,
  ),
  header('X-Service-Cloud-Signature', '`sha256=` and the HMAC-SHA256 of the body in lower-case hex', false),
  header('X-Service-Cloud-Test', '`true` for a webhook test', false),
];

type Request = {
  name: string;
  payload: z.ZodType;
  mediaType: string;
  tag: string;
  summary: string;
  description: string;
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const responses = {
  '2XX': { description: 'Delivered' },
  410: {
    description:
      'Gone: after two minutes with no other response, the webhook is disabled and pending deliveries are held',
  },
  default: { description: "Failed: retried according to the webhook's retry schedule" },
};

const pathItemOf = (write: Write, { name, payload, mediaType, tag, summary, description }: Request): Json => {
  const [example] = (payload.meta()?.examples ?? []) as unknown[];
  const content = { [mediaType]: { schema: write(payload, 'output'), example } };
  const operation = {
    operationId: `receive${capitalized(name)}`,
    tags: [tag],
    summary,
    description,
    parameters: headers,
    security: [],
    requestBody: { required: true, content },
    responses,
  };
  return { post: operation };
};

const callbackOf = (write: Write, { payload, mediaType, summary }: Request): Json => {
  const requestBody = { required: true, content: { [mediaType]: { schema: write(payload, 'output') } } };
  // The responses are described in detail under `webhooks`.
  const responses = { '2XX': { description: 'Delivered' }, '4XX': { description: 'Failed' } };
  return { post: { summary, security: [], requestBody, responses } };
};

/** Feedback for the maker of a sensor. Customer webhooks never receive it. */
const feedback: Request = {
  name: 'feedback',
  payload: FeedbackPayload,
  mediaType: JSON_TYPE,
  tag: 'feedback',
  summary: "User feedback, forwarded to the sensor's maker",
  description:
    'Sent to the address, and signed with the secret, agreed on by the service operator and the maker. May be ' +
    'delivered more than once, with the same `webhook-id`.',
};

const toWebhook = (format: Format): Request => ({
  name: format,
  payload: payloads[format],
  tag: 'deliveries',
  mediaType: formats[format].mediaType,
  summary: formats[format].summary,
  description:
    "A sensor's deliveries may arrive out of order, especially after a retry. Order them by event time " +
    '(`event.createDate` in Full, `createDate` in Custom 1; Chat and Teams show it), not by arrival. Each may be ' +
    'delivered more than once, with the same `webhook-id`.',
});

/** The operations that make the service send requests, with the receiver URL. */
const causes: Readonly<Record<string, { to: string; requests: readonly Request[] }>> = {
  createWebhook: { to: '{$request.body#/url}', requests: Format.options.map(toWebhook) },
  createFeedback: { to: 'https://maker.example.com', requests: [feedback] },
};

/**
 * Returns service requests as callbacks for the operation that causes them. Generators that ignore `webhooks` would
 * otherwise leave out their schemas.
 */
export const callbacksOf = (write: Write, operationId: string): { callbacks?: Json } => {
  const cause = causes[operationId];
  if (!cause) return {};
  const { to, requests } = cause;
  return { callbacks: Object.fromEntries(requests.map((one) => [one.name, { [to]: callbackOf(write, one) }])) };
};

/**
 * Describes the requests the service sends to webhooks (D2), by format, and to makers. Webhooks refer to components,
 * because TypeScript and Python code generated for inline requests does not compile.
 */
export const describeWebhooks = (write: Write): { webhooks: Json; pathItems: Json } => {
  const requests = Object.values(causes).flatMap(({ requests }) => requests);
  const idOf = ({ name }: Request) => `${capitalized(name)}Webhook`;
  return {
    webhooks: Object.fromEntries(requests.map((one) => [one.name, { $ref: `#/components/pathItems/${idOf(one)}` }])),
    pathItems: Object.fromEntries(requests.map((one) => [idOf(one), pathItemOf(write, one)])),
  };
};
