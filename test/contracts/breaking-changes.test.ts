import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { breakingChanges } from './breaking-changes.ts';
import { document, type Json } from './document.ts';

const files = globSync(fileURLToPath(new URL('../upgrade/versions/*.openapi.json.gz', import.meta.url)));
const collator = new Intl.Collator('en', { numeric: true });
const file = files.toSorted((a, b) => collator.compare(basename(a), basename(b))).at(-1) ?? '';
const released = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Json;

/** Breaking changes accepted since the last release, each with a reason. Each release empties the list. */
const accepted: readonly { changes: RegExp; because: string }[] = [
  {
    changes: /^\S+ \/users\/\{userId\}\S* path userId: integer is not allowed any more$/,
    because: 'The document shows `userId` as a text, because few generators know two types. Paths are the same.',
  },
  {
    changes: /maker_[ab]\/config\/\S+ 400\.errors may be missing$/,
    because: 'A 400 for a sensor of the other maker never named a field. The document said that it did.',
  },
  {
    changes: /body\.ntpServer(Primary|Secondary): maxLength is stricter$/,
    because: 'The document merged names and IP addresses into one text. What is allowed is the same.',
  },
  {
    changes: /\/channels\S* 200\S*\.address may be missing$/,
    because: 'Managers of users may list the channels of others, without their addresses. Users still see their own.',
  },
  {
    changes: /^(POST \/users|PUT \/users\/\{userId\}\/access): accessToken is no login any more$/,
    because: 'A leaked token must not become a session of a new user. Both need a session.',
  },
  {
    changes: /^webhook full\.acknowledgement\.ruleHitId: may be null$/,
    because: 'A fall that no rule notified of can be acknowledged, and has no hit.',
  },
];

test(`breaking changes since ${basename(file, '.openapi.json.gz')} are accepted, each with a reason`, () => {
  const found = breakingChanges(released, document);
  expect(found.filter((change) => !accepted.some(({ changes }) => changes.test(change)))).toEqual([]);
  expect(accepted.filter(({ changes }) => !found.some((change) => changes.test(change)))).toEqual([]);
});

test('a document has no breaking changes compared with itself', () => {
  expect(breakingChanges(document, document)).toEqual([]);
});

/** Returns the document with a different value at a path. `undefined` removes the value. */
const changedAt = (path: readonly string[], value?: unknown): Json => {
  const changed = structuredClone(document);
  const parent = path.slice(0, -1).reduce<Json>((part, key) => part[key] as Json, changed);
  parent[path.at(-1) ?? ''] = value;
  return JSON.parse(JSON.stringify(changed)) as Json;
};
const sensors = ['paths', '/sensors', 'get'];
const sensor = ['components', 'schemas', 'Sensor'];
const rule = ['components', 'schemas', 'RuleCreation'];

test.each<[string, string[], unknown, string]>([
  ['a removed operation', sensors, undefined, 'GET /sensors is removed'],
  ['a renamed operation', [...sensors, 'operationId'], 'x', 'GET /sensors: its operationId was listSensors'],
  ['a removed success status', [...sensors, 'responses', '200'], undefined, 'GET /sensors: 200 is removed'],
  ['a removed error status', [...sensors, 'responses', '401'], undefined, 'GET /sensors: 401 is removed'],
  ['a removed parameter', [...sensors, 'parameters'], [], 'GET /sensors query page is removed'],
  ['a removed login method', [...sensors, 'security'], [], 'GET /sensors: accessToken is no login any more'],
  [
    'a removed response field',
    [...sensor, 'properties', 'name'],
    undefined,
    'GET /sensors/{sensorId} 200.name is removed',
  ],
  ['a newly optional response field', [...sensor, 'required'], [], 'GET /sensors/{sensorId} 200.name may be missing'],
  [
    'a newly nullable response field',
    [...sensor, 'properties', 'name', 'type'],
    ['string', 'null'],
    'GET /sensors/{sensorId} 200.name: may be null',
  ],
  ['a newly required request field', [...rule, 'required'], ['sensorId'], 'POST /rules body.sensorId is required'],
  ['a removed request field', [...rule, 'properties', 'schedule'], undefined, 'POST /rules body.schedule is removed'],
  [
    'a request value no longer allowed',
    [...rule, 'properties', 'situation', 'enum'],
    ['fall_detected'],
    'POST /rules body.situation: "apnea" is not allowed any more',
  ],
  [
    'a request type no longer allowed',
    [...rule, 'properties', 'sensorId'],
    { type: 'string' },
    'POST /rules body.sensorId: null is not allowed any more',
  ],
  [
    'a stricter request bound',
    [...rule, 'properties', 'name', 'maxLength'],
    8,
    'POST /rules body.name: maxLength is stricter',
  ],
  [
    'a removed delivery field',
    ['components', 'schemas', 'FullPayload', 'properties', 'acknowledgeUrl'],
    undefined,
    'webhook full.acknowledgeUrl is removed',
  ],
])('reports %s as a breaking change', (_, path, value, named) => {
  expect(breakingChanges(document, changedAt(path, value))).toContain(named);
});

test.each<[string, string[], unknown]>([
  ['a new operation', ['paths', '/new'], { get: { operationId: 'getNew' } }],
  ['a new response field', [...sensor, 'properties', 'added'], { type: 'string' }],
  ['a new optional request field', [...rule, 'properties', 'added'], { type: 'string' }],
])('does not report %s as a breaking change', (_, path, value) => {
  expect(breakingChanges(document, changedAt(path, value))).toEqual([]);
});
