import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import type { Operation } from '#shared/api/operation.ts';
import type { Answer } from '../fixtures/client.ts';

export type Json = Record<string, unknown>;
type Path = readonly (string | number)[];
export const about = {
  SERVICE_NAME: 'Test',
  SERVICE_VERSION: '1.2.3',
  PUBLIC_URL: 'https://cloud.example.org',
  DEVICE_URL: '',
};
export const document = openApi(describeApi(groups), about);

/** Returns the value at a path in the document, without following references. */
export const at = (...keys: Path): unknown =>
  keys.reduce<unknown>((value, key) => (Object(value) as Json)[key], document);
const pointer = (...keys: Path): string =>
  keys.map((key) => `/${encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');
const compiled = new Map<string, ValidateFunction>();

/** Returns how a value violates the schema at a path in the document. */
export const schemaErrorsAt = (value: unknown, ...keys: Path): unknown[] => {
  const $ref = `document#${pointer(...keys)}`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  return validate(value) ? [] : (validate.errors ?? []);
};

const complaint = (subject: string, faults: readonly unknown[]): string[] =>
  faults.length === 0 ? [] : [`${subject}: ${JSON.stringify(faults).slice(0, 1_000)}`];

/** Returns the path of the response with a given status, with references resolved. Null if there is none. */
const responseTo = (operation: Path, status: number): Path | null => {
  const response = at(...operation, 'responses', status) as Json | undefined;
  if (!response) return null;
  return typeof response.$ref === 'string' ? response.$ref.split('/').slice(1) : [...operation, 'responses', status];
};

const inAnswer = (path: Path, { status, headers, body, text }: Answer): string[] => {
  const response = responseTo(path, status);
  if (!response) return [`a ${status}, which is not documented`];
  if (text === '') return [];
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const media = Object.keys(Object(at(...response, 'content'))).find((key) => key.split(';')[0] === type);
  if (media === undefined) return [`${type}, which is not documented for a ${status}`];
  return type === 'application/json'
    ? complaint(`the body of a ${status}`, schemaErrorsAt(body, ...response, 'content', media, 'schema'))
    : [];
};

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** Returns where the document forbids an accepted request. The document must not be stricter than the service. */
const inRequest = (path: Path, query: URLSearchParams, body: string | undefined): string[] => {
  const parameters = at(...path, 'parameters') as { name: string; in: string; schema: { type?: unknown } }[];
  const faultsOf = parameters.flatMap(({ name, in: where, schema }, index) => {
    const sent = where === 'query' ? query.getAll(name).at(-1) : undefined;
    if (sent === undefined) return [];
    const value = schema.type === 'integer' ? Number(sent) : sent;
    return complaint(`${name}=${sent.slice(0, 100)}`, schemaErrorsAt(value, ...path, 'parameters', index, 'schema'));
  });
  if (body === undefined || !isJson(body) || at(...path, 'requestBody') === undefined) return faultsOf;
  const schema = [...path, 'requestBody', 'content', 'application/json', 'schema'];
  return [...faultsOf, ...complaint('an accepted body', schemaErrorsAt(JSON.parse(body), ...schema))];
};

/** Returns where a call differs from the document: in the response and, if the call succeeded, in the request. */
export const differences = (
  { path: template, method }: Operation,
  answer: Answer,
  sent: { query: URLSearchParams; body?: string | undefined },
): string[] => {
  const path = ['paths', template, method.toLowerCase()];
  // The document does not contain pages.
  if (at(...path) === undefined) return [];
  return [...inAnswer(path, answer), ...(answer.status < 300 ? inRequest(path, sent.query, sent.body) : [])];
};
