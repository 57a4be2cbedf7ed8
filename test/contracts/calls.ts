import { expect } from 'vitest';
import * as z from 'zod';
import type { Operation } from '#shared/api/operation.ts';
import { type Answer, type Client, withOwnPassword } from '../fixtures/client.ts';
import { differences } from './document.ts';
import type { Example } from './examples.ts';
import { exampleOf, pathOf, permittedClient } from './operations.ts';
import { responseFaults } from './response-format.ts';
import { idsFor, type World } from './world.ts';

/** Checks what D1 section 1 promises for every response: the headers and the error format. */
export const expectValidResponse = (answer: Answer, method = 'GET', published?: Operation['published']): void => {
  expect(responseFaults(answer, method, published), answer.text).toEqual([]);
};

type Change = {
  client?: Client;
  method?: string;
  params?: Readonly<Record<string, string>>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The request will succeed, so it needs a new example. */
  succeeds?: true;
};

type Prepared = { example: Example; client: Client };
// Kept per world, because another test file in the same process may have used a world that has since ended.
const unused = new WeakMap<World, Map<Operation, Promise<Prepared>>>();

const prepare = async (world: World, [name, operation]: readonly [string, Operation]): Promise<Prepared> => {
  const [example, client] = await Promise.all([exampleOf(name, world), permittedClient(operation, world)]);
  return { example, client };
};
/**
 * Prepares a request that will be refused. Refused requests consume nothing, so they can share one example and one
 * session.
 */
const prepareOnce = (world: World, entry: readonly [string, Operation]): Promise<Prepared> => {
  const known = unused.get(world) ?? new Map<Operation, Promise<Prepared>>();
  unused.set(world, known);
  const made = known.get(entry[1]) ?? prepare(world, entry);
  known.set(entry[1], made);
  return made;
};

/** Calls an operation with its example, modified by `change`, and checks what must hold for every response. */
export const call = async (world: World, entry: readonly [string, Operation], change: Change = {}) => {
  const [, operation] = entry;
  const isAsExample = change.succeeds || Object.keys(change).length === 0;
  const { example, client: rightful } = await (isAsExample ? prepare : prepareOnce)(world, entry);
  const client = change.client ?? example.client ?? rightful;
  const params = { ...idsFor(operation.path, world.ours.ids), ...example.params, ...change.params };
  const body = withOwnPassword('body' in change ? change.body : example.body, client);
  const method = change.method ?? operation.method;
  const query = new URLSearchParams({
    ...example.query,
    ...Object.fromEntries(new URLSearchParams(change.query)),
  }).toString();
  const path = pathOf(operation, params) + (query && `?${query}`);
  const answer = await client.call(method, path, body, change.headers);
  expectValidResponse(answer, method, operation.published);
  if (method === operation.method) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { query: new URLSearchParams(query), body: text };
    expect(differences(operation, answer, sent), answer.text).toEqual([]);
  }
  return answer;
};

export const pathsOf = ({ body }: Answer): string[] =>
  (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

/** Returns the names of all fields in a body, at any depth, that end in Id or Ids. */
export const idFieldsOf = (operation: Operation): string[] => {
  if (!operation.body || operation.bodyKind) return [];
  const schema = JSON.stringify(z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any' }));
  return [...new Set([...schema.matchAll(/"(\w+Ids?)":/g)].map(([, name = '']) => name))];
};

/**
 * Returns the names of all fields and of the required fields in a body. Both lists are empty unless the body is a
 * single object.
 */
export const fieldsOf = (operation: Operation): { all: string[]; required: string[] } => {
  if (!operation.body) return { all: [], required: [] };
  const schema = z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any' });
  return { all: Object.keys(schema.properties ?? {}), required: schema.required ?? [] };
};
