import * as z from 'zod';
import { apiOf, type Group, type Operation } from '../operation.ts';
import type { Description } from './document.ts';
import { errorResponses, responses } from './error-answers.ts';
import { headers, headersOf } from './headers.ts';
import { collectInto, type Json, parametersOf, type Write } from './schemas.ts';
import { webhookPaths } from './webhooks.ts';

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
  const who = [operation.may].flat().join('` or `');
  const bySession = operation.orSelf === 'by_session' ? ', by a session' : '';
  const self = operation.orSelf ? `, or is the user itself${bySession}` : '';
  return operation.may === 'logged_in' ? '' : `The caller holds \`${who}\`${self}.`;
};

const requestBody = (write: Write, body: z.ZodType): Json => {
  // A schema that is made at its first use knows its examples only then.
  const made = body instanceof z.ZodLazy ? (body.unwrap() as z.ZodType) : body;
  const [example] = (made.meta()?.examples ?? []) as unknown[];
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
      ...(alsoSuccess === 503 && { 503: { description: 'It does not work', ...answer } }),
    },
  };
};

const message = z.string().meta({ description: 'in the language of the caller' });
const otpRequired = z
  .literal(true)
  .optional()
  .meta({ description: 'The password of a login was right; send `otp` too' });
const ErrorBody = z.object({ message, statusCode: z.int(), otpRequired }).meta({ id: 'Error' });
const InvalidRequest = z
  .object({ message, statusCode: z.literal(400), errors: z.array(z.object({ path: z.string(), message: z.string() })) })
  .meta({ id: 'InvalidRequest' });

const components = (schemas: Json) => ({
  schemas,
  headers,
  responses: responses(),
  securitySchemes: {
    session: {
      type: 'http',
      scheme: 'bearer',
      description: 'the value of the header `Token` of a login (`POST /users/login`)',
    },
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
export const describeApi = (all: readonly Group[]): Description => {
  const groups = all.filter(({ isPage }) => !isPage);
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = {};
  const write = collectInto(schemas);
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
  return { tags, paths, ofDevices, webhooks: webhookPaths(write), components: components(schemas) };
};
