import fc from 'fast-check';
import type { Operation } from '#shared/api/operation.ts';
import { differences } from '../contracts/document.ts';
import { exampleOf, operations, paramsOf, pathOf } from '../contracts/operations.ts';
import { send } from '../contracts/raw.ts';
import { complaintsOf } from '../contracts/sound.ts';
import { createWorld, idsFor, unknownIds, type World } from '../contracts/world.ts';
import { isForged, senderOf } from './credentials.ts';
import { type Drawn, drawn } from './requests.ts';
import { manglings, spoil } from './text.ts';

/** The world of a run: however long it takes, no sensor falls silent, for that would be a change that nobody made. */
export const fuzzWorld = (): Promise<World> => createWorld({ SENSOR_INACTIVE_AFTER_SECONDS: '86400' });

/** A request as it goes over the wire. */
type Sent = {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
};

/** Puts ids into what was drawn: `{ours}`, `{theirs}` and `{unknown}` of the kind that the name is of. */
const withIds = (text: string, name: string, { ours, theirs }: World): string => {
  const idIn = (ids: Readonly<Record<string, string>>) => (Object.hasOwn(ids, name) ? ids[name] : ids.sensorId) ?? '';
  const all = { '{ours}': idIn(ours.ids), '{theirs}': idIn(theirs.ids), '{unknown}': idIn(unknownIds) };
  return Object.entries(all).reduce((filled, [what, id]) => filled.replaceAll(what, () => id), text);
};

/** An id in a body, as JSON: a number when it is one. */
const idInBody = (text: string, key: string, world: World): string => {
  if (!/^\{(theirs|unknown)\}$/.test(text)) return text;
  const id = withIds(text, key, world);
  return /^\d+$/.test(id) ? id : JSON.stringify(id);
};

/** An admin may do what it likes with anybody's things: those of the other customer are kept from it. */
const harmless = (text: string, operation: Operation): string =>
  'may' in operation && operation.may === 'system_admin' ? text.replaceAll('{theirs}', '{unknown}') : text;

/** Deletes what the world still needs only where the example of the operation gives something to delete. */
const spared = ({ method, params }: Drawn, operation: Operation): readonly string[] =>
  method !== 'DELETE' || operation.method === 'DELETE'
    ? params
    : params.map((text) => (text === '{ours}' || text === 'me' ? '{unknown}' : text));

const pathFor = (draw: Drawn, operation: Operation, world: World, given: Readonly<Record<string, string>> = {}) => {
  const ids = spared(draw, operation);
  const params = paramsOf(operation).map((name, at): [string, string] => {
    const text = harmless(ids[at % ids.length] ?? '', operation);
    // What its example gives is there to be changed; the caller itself is still needed.
    const isOurs = text === '{ours}' || text === 'me';
    return [name, isOurs && given[name] ? given[name] : withIds(text, name, world)];
  });
  const path = draw.path.replace('{path}', () => pathOf(operation, Object.fromEntries(params)));
  const query = draw.query.map(([key, text]) => `${key}=${withIds(harmless(text, operation), key, world)}`).join('&');
  return `/api/v1${path}${query === '' ? '' : `?${query}`}`;
};

const requestOf = async (draw: Drawn, world: World): Promise<Sent> => {
  const [name, operation] = operations[draw.operation] ?? [];
  if (!name || !operation) throw new Error('no such operation');
  const example = await exampleOf(name, world);
  const sender = await senderOf(draw.credential, operation, world);
  const edits = draw.edits.map((edit) => ({
    ...edit,
    text: idInBody(harmless(edit.text, operation), edit.key, world),
  }));
  const text = example.body === undefined ? undefined : Buffer.from(spoil(example.body, edits));
  const body = text && manglings[draw.mangling](text);
  return {
    operation,
    method: draw.method ?? operation.method,
    path: pathFor(draw, operation, world, example.params),
    headers: {
      ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...sender,
      ...Object.fromEntries(draw.headers),
    },
    ...(body && { body }),
  };
};

const describe = ({ method, path, headers, body }: Sent, status: number, text: string): string =>
  [
    `${method} ${path.slice(0, 400)}`,
    ...Object.entries(headers).map(([name, value]) =>
      /authorization|cookie|csrf/.test(name)
        ? `${name}: ${String(value).slice(0, 15)}...`
        : `${name}: ${String(value).slice(0, 200)}`,
    ),
    ...(body ? ['', body.toString('latin1').slice(0, 2_000)] : []),
    `-> ${status} ${text.slice(0, 500)}`,
  ].join('\n');

/** Does it reach the operation that was drawn? A path that was changed may lead to another one. */
const isAsDeclared = ({ path, params }: Drawn, { operation, method, headers }: Sent): boolean =>
  method === operation.method &&
  path === '{path}' &&
  params.every((text) => /^\{(ours|theirs|unknown)\}$/.test(text)) &&
  !('expect' in headers || headers.host === '');

const partsOf = ({ path, body }: Sent) => {
  const query = new URLSearchParams(path.split('?')[1]);
  return { query, ...(body && { body: body.toString() }) };
};

const attempt = async (draw: Drawn, world: World): Promise<number> => {
  const sent = await requestOf(draw, world);
  const answer = await send(new URL(world.cloud.url).origin, sent);
  const complaints = complaintsOf(answer, sent.method, sent.operation.published);
  // What a device says of an unknown kind is taken and kept; the document tells of the known ones.
  const isUndocumented = sent.operation.bodyKind === 'messages' && draw.edits.length > 0;
  if (isAsDeclared(draw, sent) && answer.status !== 404 && !isUndocumented)
    complaints.push(...differences(sent.operation, answer, partsOf(sent)));
  if (answer.status >= 500) complaints.unshift(`a ${answer.status}`);
  if (answer.status < 300 && isForged(draw.credential, sent.operation, sent))
    complaints.unshift('a forged request that did something');
  if (complaints.length > 0) throw new Error(`${complaints.join('; ')}\n${describe(sent, answer.status, answer.text)}`);
  return answer.status;
};

/** What everybody reads alike: not of a customer. And the feed of a webhook, which not every webhook has. */
const ofAll = /server|firmwares|\/feed$/;

/** All that the other customer can read of itself. */
const snapshot = async ({ theirs }: World): Promise<Record<string, unknown>> => {
  const readable = operations.filter(
    ([, operation]) =>
      operation.method === 'GET' &&
      'may' in operation &&
      operation.may !== 'system_admin' &&
      !ofAll.test(operation.path),
  );
  const read = readable.map(async ([name, operation]) => {
    const { status, text } = await theirs.client.call('GET', pathOf(operation, idsFor(operation.path, theirs.ids)));
    if (status !== 200) throw new Error(`${name} of the other customer: ${status} ${text}`);
    // The address of an export is signed anew by each read.
    return [name, text.replaceAll(/expires=\d+&signature=\w+/g, '')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

type Outcome = { seed: number; requests: number; statuses: Record<number, number>; finding: string | null };

/** Sends that many requests, and gives the first thing that is wrong in its smallest form. */
export const fuzz = async (
  world: World,
  { requests, seed, onRequest }: { requests: number; seed: number; onRequest?: (sent: number) => void },
): Promise<Outcome> => {
  const statuses: Record<number, number> = {};
  let sent = 0;
  const before = await snapshot(world);
  const property = fc.asyncProperty(drawn, async (draw) => {
    const status = await attempt(draw, world);
    statuses[status] = (statuses[status] ?? 0) + 1;
    sent++;
    onRequest?.(sent);
  });
  const result = await fc.check(property, { seed, numRuns: requests });
  await world.cloud.idle();
  const { errorInstance, counterexample } = result;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const wrong = result.failed ? `${reason}\ndrawn: ${JSON.stringify(counterexample)}` : null;
  const after = await snapshot(world);
  const changed = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const foreign = changed.map(
    (name) => `${name} of the other customer reads otherwise: ${JSON.stringify(after[name])}`,
  );
  const findings = [...(wrong === null ? [] : [wrong]), ...foreign];
  return { seed, requests: sent, statuses, finding: findings.length > 0 ? findings.join('\n\n') : null };
};
