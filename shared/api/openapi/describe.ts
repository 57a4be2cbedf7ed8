import * as z from 'zod';
import { CSV_TYPE } from '../csv.ts';
import { allowsDisplay, apiOf, type Group, type Operation } from '../operation.ts';
import type { ApiDescription } from './document.ts';
import { errorResponses, sharedResponses } from './error-responses.ts';
import { addExamples } from './examples.ts';
import { headers, successHeaders } from './headers.ts';
import { type Json, parametersOf, schemaCollector, type WriteSchema } from './schemas.ts';
import { callbacksOf, describeWebhooks } from './webhooks.ts';

const security: Record<Operation['auth'], Json[]> = {
  anyone: [],
  optional: [{}, { session: [] }, { accessToken: [] }, { cookie: [] }],
  user: [{ session: [] }, { accessToken: [] }, { cookie: [] }],
  session: [{ session: [] }, { cookie: [] }],
  device: [{ deviceToken: [] }],
  provisioner: [{ provisioningKey: [] }],
};

const accessText = (operation: Operation): string => {
  if (!('may' in operation)) return '';
  const required = [operation.may].flat().join('` or `');
  const bySession = operation.orSelf === 'by_session' ? ' in a session' : '';
  const self = operation.orSelf ? `, except for access to one's own account${bySession}` : '';
  const permission = operation.may === 'logged_in' ? '' : `Requires \`${required}\`${self}.`;
  return [permission, allowsDisplay(operation) && 'Displays may call it.'].filter(Boolean).join(' ');
};

/** Returns example rows as CSV. */
const csvOf = (rows: readonly object[]): string => {
  const [first = {}, ...others] = rows;
  return [Object.keys(first), ...[first, ...others].map((row) => Object.values(row))]
    .map((line) => line.join(','))
    .join('\n');
};

const requestBody = (write: WriteSchema, body: z.ZodType, { bodyExamples, bodyKind }: Operation): Json => {
  // The examples for a lazy schema are in the schema it wraps.
  const unwrapped = body instanceof z.ZodLazy ? (body.unwrap() as z.ZodType) : body;
  const [example] = (unwrapped.meta()?.examples ?? []) as unknown[];
  const examples = bodyExamples ? { examples: bodyExamples() } : { example };
  const json = { 'application/json': { schema: write(body, 'input'), ...examples } };
  if (bodyKind !== 'rows') return { required: true, content: json };
  return {
    required: true,
    content: { ...json, 'text/csv': { schema: { type: 'string' }, example: csvOf(example as object[]) } },
  };
};

const operationOf = (write: WriteSchema, tag: string, name: string, operation: Operation): Json => {
  const { summary, description, success, alsoSuccess, response, body } = operation;
  const content = operation.media
    ? Object.fromEntries(operation.media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
    : {
        'application/json': { schema: write(response, 'output') },
        ...(operation.orCsv && { [CSV_TYPE]: { schema: { type: 'string' } } }),
      };
  const result = { headers: successHeaders(operation), content };
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, accessText(operation)].filter(Boolean).join('\n\n') || summary,
    ...(operation.deprecated && { deprecated: true }),
    security: security[operation.auth],
    parameters: [...parametersOf(write, operation.params, 'path'), ...parametersOf(write, operation.query, 'query')],
    ...(body && { requestBody: requestBody(write, body, operation) }),
    responses: {
      [success]: { description: 'Success', ...result },
      ...(alsoSuccess === 200 && { 200: { description: 'Success; nothing was created', ...result } }),
      ...(alsoSuccess === 304 && { 304: { description: 'Not modified', headers: successHeaders(operation) } }),
      ...errorResponses(operation),
      ...(alsoSuccess === 503 && { 503: { description: 'Unhealthy', ...result } }),
    },
    ...callbacksOf(write, name),
  };
};

const message = z.string().meta({ description: "in the caller's language" });
const otpRequired = z
  .literal(true)
  .optional()
  .meta({ description: 'The password is correct; log in again with `otp`' });
const invalidFields = z.array(
  z
    .object({
      path: z.string(),
      message: z.string(),
      row: z.int().min(0).optional().meta({ description: 'in an import, the row number, from 1' }),
      field: z.string().optional().meta({ description: 'in an import, the column' }),
    })
    .meta({ id: 'InvalidField' }),
);
const ErrorBody = z
  .object({
    message,
    statusCode: z.int(),
    otpRequired,
    errors: invalidFields.optional().meta({ description: 'the fields that made the request invalid' }),
  })
  .meta({ id: 'Error' });
const InvalidRequest = z
  .object({ message, statusCode: z.literal(400), errors: invalidFields })
  .meta({ id: 'InvalidRequest' });

const components = (schemas: Json, pathItems: Json) => ({
  schemas,
  pathItems,
  headers,
  responses: sharedResponses(),
  securitySchemes: {
    session: {
      type: 'http',
      scheme: 'bearer',
      description: 'the `Token` header from a login response (`POST /users/login`)',
    },
    accessToken: { type: 'http', scheme: 'bearer', description: "a user's access token" },
    cookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'PSAUTHTOKEN',
      description: 'the login cookie; every method except GET also requires the X-CSRF-Token header',
    },
    deviceToken: { type: 'http', scheme: 'bearer', description: "a registered device's token" },
    provisioningKey: { type: 'http', scheme: 'bearer', description: 'a key that registers devices' },
  },
});

/** Describes all operations in the groups, based on the contracts the API runs on. */
export const describeApi = (contracts: readonly Group[]): ApiDescription => {
  const groups = contracts.filter(({ isPage }) => !isPage);
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = {};
  const write = schemaCollector(schemas);
  for (const error of [ErrorBody, InvalidRequest]) write(error, 'output');
  for (const { name: tag, operations } of groups)
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const path = paths[operation.path] ?? {};
      paths[operation.path] = { ...path, [operation.method.toLowerCase()]: operationOf(write, tag, name, operation) };
    }
  const tags = groups.map(({ name, about }) => ({ name, description: about }));
  const ofDevices = groups.flatMap(({ operations }) =>
    Object.keys(operations).filter((name) => apiOf(operations[name] as Operation) === 'devices'),
  );
  const { webhooks, pathItems } = describeWebhooks(write);
  addExamples(
    schemas,
    Object.values(paths).flatMap((path) => Object.values(path) as Json[]),
  );
  return { tags, paths, ofDevices, webhooks, components: components(schemas, pathItems) };
};
