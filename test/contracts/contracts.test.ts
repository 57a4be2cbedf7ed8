import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowsDisplay, isWrite, type Operation } from '#shared/api/operation.ts';
import { splitsOf } from '../fixtures/splits.ts';
import { call, fieldsOf, idFieldsOf, pathsOf } from './calls.ts';
import { examples } from './examples.ts';
import { idsInBodies, otherIds } from './ids-in-bodies.ts';
import { exampleOf, operations, paramsOf } from './operations.ts';
import { createWorld, idsFor, malformedIds, unknownIds, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.stop();
});

const needsCredential = ({ auth }: Operation) => auth !== 'anyone' && auth !== 'optional';
const mayOf = (operation: Operation): readonly string[] =>
  'may' in operation && operation.may !== 'logged_in' ? [operation.may].flat() : [];
const mayBeforeOtp = ['logout', 'getUser', 'beginOtp', 'switchOnOtp'];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** Returns the methods for a path pattern. `/users/{userId}` and `/users/me` are different operations. */
const allowedAt = (path: string) =>
  operations.filter(([, operation]) => operation.path === path).map(([, { method }]) => method);

test('displays may only acknowledge alarms, log out and read what a station screen needs', () => {
  const names = operations.filter(([, operation]) => allowsDisplay(operation)).map(([name]) => name);
  expect(names.sort()).toEqual([
    'acknowledgeFall',
    'acknowledgeRuleHit',
    'getFloorPlan',
    'getRoom',
    'getSensor',
    'getSensorGroup',
    'getSensorStatus',
    'getStation',
    'getWatch',
    'listAlarms',
    'listDuty',
    'listOpenFalls',
    'listRegions',
    'listRuleHits',
    'listSensorGroups',
    'listSensors',
    'logout',
  ]);
});

test('operations and examples match one to one', () => {
  expect(Object.keys(examples).sort()).toEqual(operations.map(([name]) => name).sort());
});

describe.each(operations)('%s', (name, operation) => {
  const contract = [name, operation] as const;
  const params = paramsOf(operation);
  const query = Object.keys(operation.query?.shape ?? {});
  const { all: fields, required } = fieldsOf(operation);

  test(`${name} responds with ${operation.success} and exactly the fields its schema declares`, async () => {
    const answer = await call(world, contract);
    expect(answer.status, answer.text).toBe(operation.success);
    expect(operation.response.parse(answer.body)).toEqual(answer.body);
  });

  if (operation.body) {
    test(`${name} responds with 400 to a missing body, a body of another type, and invalid JSON`, async () => {
      const bodies = [undefined, '', 'null', '"text"', '7', 'true', '{', '{"a":1,}', '[1]', "{'a':1}"];
      for (const body of bodies) {
        const answer = await call(world, contract, { body });
        expect(answer.status, `${body}: ${answer.text}`).toBe(400);
      }
    });
  }
  if (required.length > 0) {
    test(`${name} responds with 400 to a body without ${required.join(', ')}, and names each field`, async () => {
      const answer = await call(world, contract, { body: {} });
      expect(answer.status, answer.text).toBe(400);
      expect(pathsOf(answer).sort()).toEqual([...required].sort());
    });
  }
  if (fields.length > 0) {
    test(`${name} responds with 400 to a wrong type of ${fields.join(', ')}`, async () => {
      const { body } = await exampleOf(name, world);
      // A few fields at once, to show that only the wrong ones are named.
      for (const wrong of splitsOf(fields).flat()) {
        if (wrong.length === 0) continue;
        const changed = Object.fromEntries(wrong.map((field) => [field, { wrong: true }]));
        const answer = await call(world, contract, { body: { ...(body as object), ...changed } });
        expect(answer.status, answer.text).toBe(400);
        expect(new Set(pathsOf(answer).map((path) => path.split('.')[0]))).toEqual(new Set(wrong));
      }
    });
  }
  if (params.length > 0) {
    test(`${name} responds with 400 to a malformed ${params.join(', ')}`, async () => {
      for (const param of params)
        for (const id of malformedIds(param)) {
          // Customer 0 is valid for audit, exports and erasures, where it stands for objects without a customer.
          if (operation.params?.safeParse({ ...world.ours.ids, [param]: id }).success) continue;
          const answer = await call(world, contract, { params: { [param]: id } });
          expect(answer.status, `${param}=${id}: ${answer.text}`).toBe(400);
          expect(new Set(pathsOf(answer))).toEqual(new Set([param]));
        }
    });
  }
  if (query.length > 0) {
    test(`${name} responds with 400 to an invalid ${query.join(', ')}`, async () => {
      const bad = query.map((key) => `${key}=%00`);
      const paging = query.includes('page') ? ['page=-1', 'page=1.0', 'perPage=0', 'perPage=x'] : [];
      const sorting = query.includes('sortBy') ? ['sortBy=id'] : [];
      for (const text of [...bad, ...paging, ...sorting]) {
        const answer = await call(world, contract, { query: `?${text}` });
        expect(answer.status, `${text}: ${answer.text}`).toBe(400);
        expect(pathsOf(answer)).toEqual([text.split('=')[0]]);
      }
    });
  }
  const idFields = idFieldsOf(operation).filter((field) => !otherIds.includes(field));
  if (idFields.length > 0) {
    test(`${name} responds with the same 400 to an unknown ${idFields.join(', ')} in the body and to another customer's`, async () => {
      const known = idsInBodies[name]?.(world) ?? [];
      const field = (path: string) =>
        path
          .replace(/\.\d+$/, '')
          .split('.')
          .at(-1);
      expect([...new Set(known.map(({ path }) => field(path)))].sort()).toEqual(idFields.toSorted());
      for (const { path, body, unknown, theirs = unknown } of known) {
        const missing = await call(world, contract, { body: body(unknown) });
        const foreign = await call(world, contract, { body: body(theirs) });
        expect([missing.status, foreign.status], foreign.text).toEqual([400, 400]);
        expect(pathsOf(missing)).toEqual([path]);
        expect(foreign.text).toBe(missing.text);
      }
    });
  }
  if (fields.includes('customerId')) {
    test(`${name} responds with 400 to an unknown customerId from a system admin`, async () => {
      const { body } = await exampleOf(name, world);
      const named = { ...(body as object), customerId: 987_654_321 };
      const answer = await call(world, contract, { client: world.admin, body: named });
      expect(answer.status, answer.text).toBe(400);
    });
  }

  if (needsCredential(operation)) {
    test(`${name} responds with the same 401 to missing and invalid credentials`, async () => {
      const none = await call(world, contract, { client: world.anybody });
      expect(none.status).toBe(401);
      const wrongKind = operation.auth === 'device' || operation.auth === 'provisioner' ? world.admin : world.byDevice;
      for (const [kind, client] of Object.entries({ ...world.bad, 'a token of another kind': wrongKind })) {
        const answer = await call(world, contract, { client });
        expect([answer.status, answer.text], kind).toEqual([401, none.text]);
      }
    });
  }
  if (['user', 'session'].includes(operation.auth) && isWrite(operation)) {
    test(`${name} responds with 403 to a read-only token, even with every permission`, async () => {
      const answer = await call(world, contract, { client: world.readOnly });
      expect(answer.status, answer.text).toBe(403);
    });
  }
  if (operation.auth === 'user' && !isWrite(operation) && mayOf(operation)[0] !== 'system_admin') {
    test(`${name} responds with ${operation.success} to a read-only token with every permission`, async () => {
      const answer = await call(world, contract, { client: world.readOnly, succeeds: true });
      expect(answer.status, answer.text).toBe(operation.success);
    });
  }
  if (['user', 'session'].includes(operation.auth) && !mayBeforeOtp.includes(name)) {
    test(`${name} responds with 403 to a session that must set up a second factor first`, async () => {
      const answer = await call(world, contract, { client: await world.beforeOtp() });
      expect(answer.status, answer.text).toBe(403);
      expect(answer.body).toMatchObject({ message: expect.stringContaining('second factor') });
    });
  }

  // A logout would end the session shared by all these tests.
  if (['user', 'session'].includes(operation.auth) && name !== 'logout') {
    const isAllowed = allowsDisplay(operation);
    const status = isAllowed ? operation.success : 403;
    test(`${name} responds with ${status} to a display session whose user has every permission`, async () => {
      const named = isAllowed && operation.body && { body: { name: 'Anna Meier' } };
      const client = await world.display();
      const answer = await call(world, contract, { client, ...named, ...(isAllowed && { succeeds: true }) });
      expect(answer.status, answer.text).toBe(status);
    });
  }
  if ('may' in operation && operation.may === 'logged_in' && operation.within && !isWrite(operation)) {
    test(`${name} responds with ${operation.success} to an off-duty user without permissions`, async () => {
      const answer = await call(world, contract, { client: await world.offDuty(), succeeds: true });
      expect(answer.status, answer.text).toBe(operation.success);
    });
  }

  const may = mayOf(operation);
  if (may.length > 0) {
    test(`${name} responds with 403 if the caller lacks ${may.join(' and ')}`, async () => {
      const client = await world.without(may);
      const params = operation.within === 'user' ? { userId: world.ours.ids.userId ?? '' } : {};
      const answer = await call(world, contract, { client, params });
      expect(answer.status, answer.text).toBe(403);
    });
  }

  const isSystem = 'may' in operation && operation.may === 'system_admin';
  const [permission, ...others] = may;
  // An export also needs the permissions for its parts (personal-data.test.ts).
  if (permission && others.length === 0 && !isSystem && name !== 'createExport') {
    test(`${name} responds with ${operation.success} to an off-duty user with only ${permission}`, async () => {
      const answer = await call(world, contract, { client: await world.only(permission), succeeds: true });
      expect(answer.status, answer.text).toBe(operation.success);
    });
  }
  if (needsCredential(operation) && 'may' in operation && !isSystem && operation.within) {
    test(`${name} responds with ${operation.success} to a system admin without a customer`, async () => {
      const answer = await call(world, contract, { client: world.admin, succeeds: true });
      expect(answer.status, answer.text).toBe(operation.success);
    });
  }
  if (operation.auth === 'user' && !isSystem && [...fields, ...query].includes('customerId')) {
    test(`${name} responds with the same 403 to another customer's customerId and to an unknown one`, async () => {
      const { body } = await exampleOf(name, world);
      const answers = [world.theirs.customerId, 987_654_321].map((customerId) =>
        body
          ? call(world, contract, { body: { ...body, customerId } })
          : call(world, contract, { query: `?customerId=${customerId}` }),
      );
      const [foreign, missing] = await Promise.all(answers);
      expect([foreign?.status, foreign?.text]).toEqual([403, missing?.text]);
    });
  }

  const isOurs = operation.auth === 'device' || ('may' in operation && !isSystem);
  // Every valid manufacturer and channel kind exists.
  for (const param of params.filter((name) => name !== 'manufacturer' && name !== 'by')) {
    test(`${name} responds with 404 to an unknown ${param}${isOurs ? ", the same as to another customer's" : ''}`, async () => {
      const missing = await call(world, contract, {
        params: { [param]: idsFor(operation.path, unknownIds)[param] ?? '' },
      });
      expect(missing.status, missing.text).toBe(404);
      if (!isOurs) return;
      const foreign = await call(world, contract, {
        params: { [param]: idsFor(operation.path, world.theirs.ids)[param] ?? '' },
      });
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    });
  }

  test(`${name} responds with 405 and Allow to other methods, HEAD included, and with 204 to OPTIONS`, async () => {
    const allowed = allowedAt(operation.path);
    const others = METHODS.filter((method) => !allowed.some((known) => known === method));
    for (const method of [...others, 'HEAD', 'OPTIONS']) {
      const answer = await call(world, contract, { method, body: undefined });
      expect(answer.status, method).toBe(method === 'OPTIONS' ? 204 : 405);
      expect(answer.headers.get('allow')?.split(', ').sort(), method).toEqual([...allowed, 'OPTIONS'].sort());
    }
  });

  if (operation.body) {
    const limit = (operation.bodyKind === 'messages' ? 1_024 : 256) * 1_024;
    test(`${name} responds with 413 to a body over ${limit / 1_024} KiB`, async () => {
      const answer = await call(world, contract, { body: `{"a":"${'x'.repeat(limit - 7)}"}` });
      expect(answer.status).toBe(413);
    });

    test(`${name} responds with 415 to a body that is not application/json`, async () => {
      const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data'];
      for (const type of types) {
        const answer = await call(world, contract, { headers: { 'content-type': type } });
        expect(answer.status, type).toBe(415);
      }
      const headers = { 'content-type': 'Application/JSON; charset="utf-8"' };
      const good = await call(world, contract, { headers, succeeds: true });
      expect(good.status, good.text).toBe(operation.success);
    });
  }
});
