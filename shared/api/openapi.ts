import * as z from 'zod';
import { errors } from './errors.ts';
import * as en from './messages/en.ts';
import { BASE_PATH, type Group, type Operation } from './operation.ts';

type Json = Record<string, unknown>;

/** Errors that every operation may answer with, by what it takes. */
const commonErrors = (operation: Operation): (keyof typeof errors)[] => [
  ...(operation.params || operation.query || operation.body ? (['bad_request'] as const) : []),
  ...(operation.auth === 'anyone' || operation.auth === 'optional' ? [] : (['credentials_invalid'] as const)),
  ...('may' in operation && operation.may !== 'logged_in' ? (['forbidden'] as const) : []),
  ...(operation.method === 'GET' ? [] : (['csrf_detected'] as const)),
  ...(operation.body ? (['media_type_unsupported', 'body_too_large'] as const) : []),
  'rate_limited',
  'unavailable',
  'internal',
];

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json;
  return JSON.parse(JSON.stringify($defs ? { ...rest, $defs } : rest));
};

const parametersOf = (schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !field.safeParse(undefined).success,
    schema: schemaOf(field as z.ZodType, 'output'),
  }));

const errorResponses = (operation: Operation): Json => {
  const codes = [...new Set([...(operation.errors ?? []), ...commonErrors(operation)])];
  const statuses = [...new Set(codes.map((code) => errors[code]))].sort((a, b) => a - b);
  const entry = (status: number) => ({
    description: codes
      .filter((code) => errors[code] === status)
      .map((code) => en.errorTexts[code])
      .join('; '),
    headers: rateHeaders,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${status === 400 ? 'InvalidRequest' : 'Error'}` } },
    },
  });
  return Object.fromEntries(statuses.map((status) => [String(status), entry(status)]));
};

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
const rateHeaders = {
  'X-RateLimit-Limit': integerHeader('requests per second'),
  'X-RateLimit-Remaining': integerHeader('requests left in this second'),
  'X-RateLimit-Reset': integerHeader('seconds until the limit resets'),
};

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
  const self = operation.orSelf ? ', or is the user itself' : '';
  return operation.may === 'logged_in' ? '' : `The caller holds \`${who}\`${self}.`;
};

const operationOf = (tag: string, name: string, operation: Operation): Json => {
  const { summary, description, success, alsoSuccess, response, body } = operation;
  const answer = { headers: rateHeaders, content: { 'application/json': { schema: schemaOf(response, 'output') } } };
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, accessText(operation)].filter(Boolean).join('\n\n'),
    security: security[operation.auth],
    parameters: [...parametersOf(operation.params, 'path'), ...parametersOf(operation.query, 'query')],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      [success]: { description: 'Done', ...answer },
      ...(alsoSuccess === 200 && { 200: { description: 'Done before, done again', ...answer } }),
      ...(alsoSuccess === 304 && { 304: { description: 'Not modified since', headers: rateHeaders } }),
      ...errorResponses(operation),
    },
  };
};

const errorSchema = { message: z.string(), statusCode: z.int() };
const components = () => ({
  schemas: {
    Error: schemaOf(z.object(errorSchema), 'output'),
    InvalidRequest: schemaOf(
      z.object({ ...errorSchema, errors: z.array(z.object({ path: z.string(), message: z.string() })) }),
      'output',
    ),
  },
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

/** The OpenAPI 3.1 document of all groups, read from the same contracts that the API runs on. */
export const openApi = (
  groups: readonly Group[],
  about: { SERVICE_NAME: string; SERVICE_VERSION: string; PUBLIC_URL: string },
): Json => {
  const paths: Record<string, Json> = {};
  for (const { name: tag, operations } of groups)
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const path = paths[operation.path] ?? {};
      paths[operation.path] = { ...path, [operation.method.toLowerCase()]: operationOf(tag, name, operation) };
    }
  return {
    openapi: '3.1.0',
    info: {
      title: `${about.SERVICE_NAME} API`,
      version: about.SERVICE_VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.PUBLIC_URL + BASE_PATH }],
    tags: groups.map(({ name }) => ({ name })),
    paths,
    components: components(),
  };
};
