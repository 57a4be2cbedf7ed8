import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import type { Operation } from '#shared/api/operation.ts';
import type { Answer } from '../fixtures/client.ts';

export type Json = Record<string, unknown>;
type Place = readonly (string | number)[];
export const about = {
  SERVICE_NAME: 'Test',
  SERVICE_VERSION: '1.2.3',
  PUBLIC_URL: 'https://cloud.example.org',
  DEVICE_URL: '',
};
export const document = openApi(describeApi(groups), about);

/** What is at a place of the document; references are not followed. */
export const at = (...keys: Place): unknown =>
  keys.reduce<unknown>((value, key) => (Object(value) as Json)[key], document);
const pointer = (...keys: Place): string =>
  keys.map((key) => `/${encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');
const compiled = new Map<string, ValidateFunction>();

/** What a value breaks of the schema at a place of the document. */
export const faultsAt = (value: unknown, ...keys: Place): unknown[] => {
  const $ref = `document#${pointer(...keys)}`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  return validate(value) ? [] : (validate.errors ?? []);
};

const say = (what: string, faults: readonly unknown[]): string[] =>
  faults.length === 0 ? [] : [`${what}: ${JSON.stringify(faults).slice(0, 1_000)}`];

/** The place of the response to a status: that of the operation, or what it refers to. */
const responseTo = (operation: Place, status: number): Place | null => {
  const response = at(...operation, 'responses', status) as Json | undefined;
  if (!response) return null;
  return typeof response.$ref === 'string' ? response.$ref.split('/').slice(1) : [...operation, 'responses', status];
};

const inAnswer = (place: Place, { status, headers, body, text }: Answer): string[] => {
  const response = responseTo(place, status);
  if (!response) return [`a ${status}, which is not documented`];
  if (text === '') return [];
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const media = Object.keys(Object(at(...response, 'content'))).find((key) => key.split(';')[0] === type);
  if (media === undefined) return [`${type}, which is not documented for a ${status}`];
  return type === 'application/json'
    ? say(`the body of a ${status}`, faultsAt(body, ...response, 'content', media, 'schema'))
    : [];
};

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** What was taken must be what the document lets a client send: it is not stricter than the service. */
const inRequest = (place: Place, query: URLSearchParams, body: string | undefined): string[] => {
  const parameters = at(...place, 'parameters') as { name: string; in: string; schema: { type?: unknown } }[];
  const faultsOf = parameters.flatMap(({ name, in: where, schema }, index) => {
    const given = where === 'query' ? query.getAll(name).at(-1) : undefined;
    if (given === undefined) return [];
    const value = schema.type === 'integer' ? Number(given) : given;
    return say(`${name}=${given.slice(0, 100)}`, faultsAt(value, ...place, 'parameters', index, 'schema'));
  });
  if (body === undefined || !isJson(body) || at(...place, 'requestBody') === undefined) return faultsOf;
  const schema = [...place, 'requestBody', 'content', 'application/json', 'schema'];
  return [...faultsOf, ...say('a body that was taken', faultsAt(JSON.parse(body), ...schema))];
};

/** How an operation and the document differ in one call: in its answer, and in what was sent when that was taken. */
export const differences = (
  { path, method }: Operation,
  answer: Answer,
  sent: { query: URLSearchParams; body?: string | undefined },
): string[] => {
  const place = ['paths', path, method.toLowerCase()];
  // Pages are no operations of the API.
  if (at(...place) === undefined) return [];
  return [...inAnswer(place, answer), ...(answer.status < 300 ? inRequest(place, sent.query, sent.body) : [])];
};
