import { expect } from 'vitest';
import * as z from 'zod';
import { groups } from '../../functions/index.ts';
import type { Operation } from '../../shared/api/operation.ts';
import { type Answer, type Client, logIn } from '../fixtures/client.ts';
import { type Example, examples } from './examples.ts';
import { idsFor, type World } from './world.ts';

/** Every operation by its name. */
export const operations: readonly (readonly [string, Operation])[] = groups.flatMap((group) =>
  Object.entries<Operation>(group.operations),
);

export const exampleOf = async (name: string, world: World): Promise<Example> => {
  const example = examples[name];
  if (!example) throw new Error(`declare an example of ${name} in test/contracts/examples.ts`);
  return example(world);
};

/** Somebody who may call it. */
export const rightful = async (operation: Operation, world: World): Promise<Client> => {
  if (operation.auth === 'device') return world.byDevice;
  if (operation.auth === 'provisioner') return world.byProvisioner;
  if (operation.auth === 'anyone' || operation.auth === 'optional') return world.anybody;
  if (!('may' in operation) || operation.may === 'system_admin') return world.admin;
  // A session of its own, for it may be ended.
  const { username, password, client } = world.ours;
  return operation.auth === 'session' ? logIn(world.anybody, username, password) : client;
};

export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = params[name];
    if (id === undefined) throw new Error(`no id for {${name}} in test/contracts/world.ts`);
    return id;
  });

export const paramsOf = (operation: Operation): string[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const expected = {
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
  'strict-transport-security': /^max-age=\d+/,
  'x-ratelimit-limit': /^\d+$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d+$/,
  'x-version-id': /^\S+$/,
  'x-request-id': /^\S+$/,
};

/** What section 1 promises of every answer: its headers, and the shape of an error. */
export const expectSound = ({ status, headers, body, text }: Answer, method = 'GET'): void => {
  for (const [name, pattern] of Object.entries(expected)) expect(headers.get(name), name).toMatch(pattern);
  if (status < 400 || method === 'HEAD') return;
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  const keys = status === 400 ? ['errors', 'message', 'statusCode'] : ['message', 'statusCode'];
  expect(Object.keys(body as object).sort(), text).toEqual(keys);
  expect(body).toMatchObject({ message: expect.stringMatching(/\S/), statusCode: status });
  if (status !== 400) return;
  const { errors } = body as { errors: object[] };
  expect(errors.length, text).toBeGreaterThan(0);
  for (const error of errors) {
    expect(Object.keys(error).sort()).toEqual(['message', 'path']);
    expect(error).toEqual({ path: expect.any(String), message: expect.stringMatching(/\S/) });
  }
};

type Change = {
  client?: Client;
  method?: string;
  params?: Readonly<Record<string, string>>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** Calls an operation as its example does, but for what is changed, and checks what holds for every answer. */
export const call = async (world: World, [name, operation]: readonly [string, Operation], change: Change = {}) => {
  const example = await exampleOf(name, world);
  const client = change.client ?? (await rightful(operation, world));
  const params = { ...idsFor(operation.path, world.ours.ids), ...example.params, ...change.params };
  const body = 'body' in change ? change.body : example.body;
  const method = change.method ?? operation.method;
  const path = pathOf(operation, params) + (change.query ?? '');
  const answer = await client.call(method, path, body, change.headers);
  expectSound(answer, method);
  return answer;
};

export const pathsOf = ({ body }: Answer): string[] =>
  (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

/** The names of all fields in a body, at any depth, that end in Id or Ids. */
export const idFieldsOf = (operation: Operation): string[] => {
  if (!operation.body || operation.bodyKind) return [];
  const schema = JSON.stringify(z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any' }));
  return [...new Set([...schema.matchAll(/"(\w+Ids?)":/g)].map(([, name = '']) => name))];
};

/** The names of a body's fields, all and those required; none for a body that is no single object. */
export const fieldsOf = (operation: Operation): { all: string[]; required: string[] } => {
  if (!operation.body) return { all: [], required: [] };
  const schema = z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any' });
  return { all: Object.keys(schema.properties ?? {}), required: schema.required ?? [] };
};
