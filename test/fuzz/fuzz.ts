import fc from 'fast-check';
import type { Operation } from '#shared/api/operation.ts';
import { differences } from '../contracts/document.ts';
import { exampleOf, operations, paramsOf, pathOf } from '../contracts/operations.ts';
import { sendRaw } from '../contracts/raw.ts';
import { responseFaults } from '../contracts/response-format.ts';
import { createWorld, idsFor, unknownIds, type World } from '../contracts/world.ts';
import { isForged, senderHeaders } from './credentials.ts';
import { type GeneratedRequest, requests as generatedRequests } from './requests.ts';
import { applyEdits, manglings } from './text.ts';

/** Creates the world for a run. No sensor goes offline in it, because that would be a change without a cause. */
export const fuzzWorld = (): Promise<World> => createWorld({ SENSOR_INACTIVE_AFTER_SECONDS: '86400' });

/** A request as sent. */
type Sent = {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
};

/** Replaces `{ours}`, `{theirs}` and `{unknown}` in a string with ids of the kind named by `name`. */
const withIds = (text: string, name: string, { ours, theirs }: World): string => {
  const idIn = (ids: Readonly<Record<string, string>>) => (Object.hasOwn(ids, name) ? ids[name] : ids.sensorId) ?? '';
  const all = { '{ours}': idIn(ours.ids), '{theirs}': idIn(theirs.ids), '{unknown}': idIn(unknownIds) };
  return Object.entries(all).reduce((filled, [placeholder, id]) => filled.replaceAll(placeholder, () => id), text);
};

/** Returns an id as JSON for a body, as a number if it is numeric. */
const idInBody = (text: string, key: string, world: World): string => {
  if (!/^\{(theirs|unknown)\}$/.test(text)) return text;
  const id = withIds(text, key, world);
  return /^\d+$/.test(id) ? id : JSON.stringify(id);
};

/** Keeps system admins, who may change anything, away from the other customer's objects. */
const harmless = (text: string, operation: Operation): string =>
  'may' in operation && operation.may === 'system_admin' ? text.replaceAll('{theirs}', '{unknown}') : text;

/**
 * Returns a request's path parameters. A DELETE sent in place of another method gets unknown ids, so it cannot delete
 * anything the world still needs.
 */
const spared = ({ method, params }: GeneratedRequest, operation: Operation): readonly string[] =>
  method !== 'DELETE' || operation.method === 'DELETE'
    ? params
    : params.map((text) => (text === '{ours}' || text === 'me' ? '{unknown}' : text));

const pathFor = (
  request: GeneratedRequest,
  operation: Operation,
  world: World,
  example: Readonly<Record<string, string>> = {},
) => {
  const ids = spared(request, operation);
  const params = paramsOf(operation).map((name, at): [string, string] => {
    const text = harmless(ids[at % ids.length] ?? '', operation);
    // Requests may change the objects in the operation's example, but the caller itself is still needed.
    const isOurs = text === '{ours}' || text === 'me';
    return [name, isOurs && example[name] ? example[name] : withIds(text, name, world)];
  });
  const path = request.path.replace('{path}', () => pathOf(operation, Object.fromEntries(params)));
  const query = request.query
    .map(([key, text]) => `${key}=${withIds(harmless(text, operation), key, world)}`)
    .join('&');
  return `/api/v1${path}${query === '' ? '' : `?${query}`}`;
};

const requestOf = async (request: GeneratedRequest, world: World): Promise<Sent> => {
  const [name, operation] = operations[request.operation] ?? [];
  if (!name || !operation) throw new Error('no such operation');
  const example = await exampleOf(name, world);
  const sender = await senderHeaders(request.credential, operation, world);
  const edits = request.edits.map((edit) => ({
    ...edit,
    text: idInBody(harmless(edit.text, operation), edit.key, world),
  }));
  const text = example.body === undefined ? undefined : Buffer.from(applyEdits(example.body, edits));
  const body = text && manglings[request.mangling](text);
  return {
    operation,
    method: request.method ?? operation.method,
    path: pathFor(request, operation, world, example.params),
    headers: {
      ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...sender,
      ...Object.fromEntries(request.headers),
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

/** Whether a request reaches the intended operation. A mutated path may lead to another one. */
const isAsDeclared = ({ path, params }: GeneratedRequest, { operation, method, headers }: Sent): boolean =>
  method === operation.method &&
  path === '{path}' &&
  params.every((text) => /^\{(ours|theirs|unknown)\}$/.test(text)) &&
  !('expect' in headers || headers.host === '');

const partsOf = ({ path, body }: Sent) => {
  const query = new URLSearchParams(path.split('?')[1]);
  return { query, ...(body && { body: body.toString() }) };
};

const attempt = async (request: GeneratedRequest, world: World): Promise<number> => {
  const sent = await requestOf(request, world);
  const answer = await sendRaw(new URL(world.cloud.url).origin, sent);
  const complaints = responseFaults(answer, sent.method, sent.operation.published);
  // The API accepts unknown message kinds, but documents only known ones.
  const isUndocumented = sent.operation.bodyKind === 'messages' && request.edits.length > 0;
  if (isAsDeclared(request, sent) && answer.status !== 404 && !isUndocumented)
    complaints.push(...differences(sent.operation, answer, partsOf(sent)));
  if (answer.status >= 500) complaints.unshift(`a ${answer.status}`);
  if (answer.status < 300 && isForged(request.credential, sent.operation, sent))
    complaints.unshift('a forged request that succeeded');
  if (complaints.length > 0) throw new Error(`${complaints.join('; ')}\n${describe(sent, answer.status, answer.text)}`);
  return answer.status;
};

/** Operations without a customer, and the webhook feed, which not every webhook has. */
const excluded = /server|firmwares|\/feed$/;

/** Returns everything the other customer can read about itself. */
const snapshot = async ({ theirs }: World): Promise<Record<string, unknown>> => {
  const readable = operations.filter(
    ([, operation]) =>
      operation.method === 'GET' &&
      // An audited read changes the audit log.
      !operation.changes &&
      !operation.records &&
      'may' in operation &&
      operation.may !== 'system_admin' &&
      !excluded.test(operation.path),
  );
  const read = readable.map(async ([name, operation]) => {
    const { status, text } = await theirs.client.call('GET', pathOf(operation, idsFor(operation.path, theirs.ids)));
    if (status !== 200) throw new Error(`${name} of the other customer: ${status} ${text}`);
    // Each read signs a new export URL, and the watch is recomputed every minute.
    const volatile = /^get(Watch|Station)$/.test(name) ? /"date":\d+/g : /expires=\d+&signature=\w+/g;
    return [name, text.replaceAll(volatile, '')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

type Outcome = { seed: number; requests: number; statuses: Record<number, number>; finding: string | null };

/** Sends random requests. Returns the first failure, shrunk to the minimal case. */
export const fuzz = async (
  world: World,
  { requests, seed, onRequest }: { requests: number; seed: number; onRequest?: (sent: number) => void },
): Promise<Outcome> => {
  const statuses: Record<number, number> = {};
  let sent = 0;
  const before = await snapshot(world);
  const property = fc.asyncProperty(generatedRequests, async (request) => {
    const status = await attempt(request, world);
    statuses[status] = (statuses[status] ?? 0) + 1;
    sent++;
    onRequest?.(sent);
  });
  const result = await fc.check(property, { seed, numRuns: requests });
  await world.cloud.idle();
  const { errorInstance, counterexample } = result;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const wrong = result.failed ? `${reason}\nrequest: ${JSON.stringify(counterexample)}` : null;
  const after = await snapshot(world);
  const changed = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const foreign = changed.map((name) => `${name} of the other customer has changed: ${JSON.stringify(after[name])}`);
  const findings = [...(wrong === null ? [] : [wrong]), ...foreign];
  return { seed, requests: sent, statuses, finding: findings.length > 0 ? findings.join('\n\n') : null };
};
