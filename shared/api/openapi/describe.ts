import * as z from 'zod';
import { type ErrorCode, errors } from '../errors.ts';
import * as en from '../messages/en.ts';
import { doorOf, type Group, headersOfPublished, type Operation } from '../operation.ts';
import type { Description } from './document.ts';
import { webhookPaths } from './webhooks.ts';

type Json = Record<string, unknown>;

/** Can the operation answer 403: because of its permission, or because of a customer in its query? */
const isForbidding = (operation: Operation): boolean =>
  'may' in operation && (operation.may !== 'logged_in' || 'customerId' in (operation.query?.shape ?? {}));

/**
 * Gives the errors that an operation may answer with without declaring them. Every operation can refuse a repeated
 * header with a 400.
 */
const commonErrors = (operation: Operation): (keyof typeof errors)[] => [
  'bad_request',
  ...(operation.auth === 'anyone' ? [] : (['credentials_invalid'] as const)),
  ...(isForbidding(operation) ? (['forbidden'] as const) : []),
  ...(operation.method === 'GET' ? [] : (['csrf_detected'] as const)),
  ...(operation.body ? (['body_too_slow', 'media_type_unsupported', 'body_too_large'] as const) : []),
  'rate_limited',
  'unavailable',
  'internal',
];

/** Makes the JSON Schema of a schema. Schemas with an id are collected as components and referred to. */
type Write = (schema: z.ZodType, io: 'input' | 'output') => Json;

const REF = '#/components/schemas/';

const collectInto =
  (schemas: Record<string, Json>): Write =>
  (schema, io) => {
    const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    // Requests and answers share schemas. Readers must not enforce that an answer has no further fields, so the
    // document does not say that.
    const open = (name: string, value: unknown) =>
      name === 'additionalProperties' && value === false ? undefined : value;
    const referring = (value: unknown): Json =>
      JSON.parse(JSON.stringify(value, open).replaceAll('"#/$defs/', `"${REF}`));
    for (const [id, found] of Object.entries($defs as Record<string, Json>)) {
      const component = referring(found);
      const known = schemas[id];
      // An id with two meanings, such as one in a body and another in an answer, would be wrong in one of them.
      if (known && JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`two schemas are called ${id}`);
      schemas[id] = component;
    }
    return referring(rest);
  };

/** Describes an id by its name: `webhookId` is the id of the webhook. */
const textOf = (name: string): string =>
  `Id of the ${name.replace(/Id$/, '').replaceAll(/[A-Z]/g, ' $&').toLowerCase()}`;

const parametersOf = (write: Write, schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...read } = write(field as z.ZodType, 'output');
    const says = description ?? (name.endsWith('Id') ? textOf(name) : undefined);
    // The output of a transformation has no schema, so the schema of its input is shown.
    const { description: _, ...sent } = 'type' in read || '$ref' in read ? read : write(field as z.ZodType, 'input');
    return {
      name,
      in: place,
      required: place === 'path' || !field.safeParse(undefined).success,
      ...(says !== undefined && { description: says }),
      schema: sent,
    };
  });

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, required: true, schema });
const integer = { type: 'integer', minimum: 0 };
/** The name that API Gateway gives to WWW-Authenticate in the answers of functions. It cannot be changed back. */
const RENAMED = 'x-amzn-Remapped-WWW-Authenticate';
const headers = {
  'X-RateLimit-Limit': header('Requests in a second; 0: no limit', integer),
  'X-RateLimit-Remaining': header('Requests left in this second', integer),
  'X-RateLimit-Reset': header('Seconds until the limit resets', integer),
  'X-Version-Id': header('Version of the service'),
  'X-Request-Id': header('Id of the request. Name it when you ask for support'),
  'Cache-Control': header('Answers must not be cached', { const: 'no-store' }),
  'X-Content-Type-Options': header('The content type must not be guessed', { const: 'nosniff' }),
  'Strict-Transport-Security': header('The service must only be called by https'),
  'Retry-After': header('Seconds after which another call may succeed', integer),
  'WWW-Authenticate': { ...header(`How to authenticate; behind API Gateway it is \`${RENAMED}\``), required: false },
  [RENAMED]: { ...header('WWW-Authenticate as API Gateway renames it'), required: false },
};
type Header = keyof typeof headers;
const refer = (...names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const headersOfError: Readonly<Record<number, Json>> = {
  401: refer('WWW-Authenticate', RENAMED),
  429: refer('Retry-After'),
  503: refer('Retry-After'),
};
const notOfAll: readonly Header[] = ['Retry-After', 'WWW-Authenticate', RENAMED];
const commonHeaders = refer(...(Object.keys(headers) as Header[]).filter((name) => !notOfAll.includes(name)));

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => en.errorTexts[code]).join('; '),
  headers: { ...commonHeaders, ...headersOfError[status] },
  content: { 'application/json': { schema: { $ref: `${REF}${status === 400 ? 'InvalidRequest' : 'Error'}` } } },
});

/** The answers that most operations have with the same meaning. */
const shared: readonly ErrorCode[] = [
  ...(['bad_request', 'credentials_invalid', 'forbidden', 'csrf_detected', 'media_type_unsupported'] as const),
  ...(['body_too_large', 'body_too_slow', 'rate_limited', 'unavailable', 'internal'] as const),
];
const responses = (): Json => Object.fromEntries(shared.map((code) => [code, errorResponse(errors[code], [code])]));

const errorResponses = (operation: Operation): Json => {
  const codes = [...new Set([...(operation.errors ?? []), ...commonErrors(operation)])];
  const statuses = [...new Set(codes.map((code) => errors[code]))].sort((a, b) => a - b);
  const entry = (status: number): Json => {
    const [first, ...others] = codes.filter((code) => errors[code] === status);
    if (first && others.length === 0 && shared.includes(first)) return { $ref: `#/components/responses/${first}` };
    return errorResponse(status, first ? [first, ...others] : []);
  };
  return Object.fromEntries(statuses.map((status) => [String(status), entry(status)]));
};

const headersOf = ({
  responseHeaders = {},
  describedHeaders = {},
  optionalHeaders = {},
  published,
}: Operation): Json => ({
  ...commonHeaders,
  ...(published && {
    ETag: header(
      'Entity tag of the content; a request with it in If-None-Match is answered by 304 until the content changes',
    ),
  }),
  ...Object.fromEntries(
    Object.entries({ ...(published && headersOfPublished[published]), ...responseHeaders }).map(([name, value]) => [
      name,
      header(name, { const: value }),
    ]),
  ),
  ...Object.fromEntries(Object.entries(describedHeaders).map(([name, text]) => [name, header(text)])),
  ...Object.fromEntries(
    Object.entries(optionalHeaders).map(([name, text]) => [name, { ...header(text), required: false }]),
  ),
});

const security: Record<Operation['auth'], Json[]> = {
  anyone: [],
  optional: [{}, { session: [] }],
  user: [{ session: [] }, { accessToken: [] }, { cookie: [] }],
  session: [{ session: [] }, { cookie: [] }],
  device: [{ deviceToken: [] }],
  provisioner: [{ provisioningKey: [] }],
};

const accessText = (operation: Operation): string => {
  if (!('may' in operation)) return '';
  const who = [operation.may].flat().join('` or `');
  const bySession = operation.orSelf === 'by_session' ? ', by a session' : '';
  const self = operation.orSelf ? `, or is the user itself${bySession}` : '';
  return operation.may === 'logged_in' ? '' : `The caller holds \`${who}\`${self}.`;
};

const requestBody = (write: Write, body: z.ZodType): Json => {
  const [example] = (body.meta()?.examples ?? []) as unknown[];
  const content = { schema: write(body, 'input'), ...(example !== undefined && { example }) };
  return { required: true, content: { 'application/json': content } };
};

const operationOf = (write: Write, tag: string, name: string, operation: Operation): Json => {
  const { summary, description, success, alsoSuccess, response, body } = operation;
  const content = operation.media
    ? Object.fromEntries(operation.media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
    : { 'application/json': { schema: write(response, 'output') } };
  const answer = { headers: headersOf(operation), content };
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, accessText(operation)].filter(Boolean).join('\n\n'),
    ...(operation.deprecated && { deprecated: true }),
    security: security[operation.auth],
    parameters: [...parametersOf(write, operation.params, 'path'), ...parametersOf(write, operation.query, 'query')],
    ...(body && { requestBody: requestBody(write, body) }),
    responses: {
      [success]: { description: 'Done', ...answer },
      ...(alsoSuccess === 200 && { 200: { description: 'Done again, after it had been done before', ...answer } }),
      ...(alsoSuccess === 304 && { 304: { description: 'Not modified since', headers: headersOf(operation) } }),
      ...errorResponses(operation),
    },
  };
};

const message = z.string().meta({ description: 'in the language of the caller' });
const ErrorBody = z.object({ message, statusCode: z.int() }).meta({ id: 'Error' });
const InvalidRequest = z
  .object({ message, statusCode: z.literal(400), errors: z.array(z.object({ path: z.string(), message: z.string() })) })
  .meta({ id: 'InvalidRequest' });

const components = (schemas: Json) => ({
  schemas,
  headers,
  responses: responses(),
  securitySchemes: {
    session: { type: 'http', scheme: 'bearer', description: 'the token of a login' },
    accessToken: { type: 'http', scheme: 'bearer', description: 'an access token of a user' },
    cookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'PSAUTHTOKEN',
      description: 'with X-CSRF-Token on every method but GET',
    },
    deviceToken: { type: 'http', scheme: 'bearer', description: 'the token of a registered device' },
    provisioningKey: { type: 'http', scheme: 'bearer', description: 'a key that registers devices' },
  },
});

/** Describes all operations of the groups from the contracts that the API runs on. */
export const describeApi = (groups: readonly Group[]): Description => {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = {};
  const write = collectInto(schemas);
  for (const error of [ErrorBody, InvalidRequest]) write(error, 'output');
  for (const { name: tag, operations } of groups)
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const path = paths[operation.path] ?? {};
      paths[operation.path] = { ...path, [operation.method.toLowerCase()]: operationOf(write, tag, name, operation) };
    }
  const tags = [...groups.map(({ name }) => ({ name })), { name: 'deliveries' }];
  const ofDevices = groups.flatMap(({ operations }) =>
    Object.keys(operations).filter((name) => doorOf(operations[name] as Operation) === 'devices'),
  );
  return { tags, paths, ofDevices, webhooks: webhookPaths(write), components: components(schemas) };
};
