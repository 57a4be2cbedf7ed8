import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ApiError } from '#shared/api/errors.ts';
import { bodyLimits, checkMedia, findCustomer, messagesOf, readInput } from '#shared/api/middleware/input.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import { callerWith, codeOf, createGuard, exchangeOf, operationWith } from '#test/fixtures/guard.ts';

const KIB = 1_024;
const json = operationWith({ method: 'POST', body: z.object({ name: z.string() }) });
const rows = operationWith({ method: 'POST', body: z.array(z.unknown()), bodyKind: 'rows' });
const messages = operationWith({ method: 'POST', body: z.unknown(), bodyKind: 'messages' });
const none = operationWith({ method: 'DELETE' });
const typed = (type: string) => ({ 'Content-Type': type });
const mediaOf = (operation: typeof json, body?: string | Buffer, headers = typed('application/json')) =>
  codeOf(() => checkMedia(exchangeOf(operation, { headers, ...(body !== undefined && { body }) })));

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json ; charset="UTF-8"',
  'application/json; charset = utf8',
  'application/json; version=1',
])('a JSON body in UTF-8 is accepted: %s', async (type) => {
  expect(await mediaOf(json, '{}', typed(type))).toBeNull();
});

test.each([
  'text/plain',
  'text/json',
  'x-application/json',
  'application/jsonp',
  'application/json+x',
  'application/json; charset=iso-8859-1',
  'application/json;charset=latin1',
  'application/json; charset=utf-80',
  'application/json; version=1; CHARSET = latin1',
  'text/csv',
  '',
])('a body of any other content type is rejected with a 415: %s', async (type) => {
  expect(await mediaOf(json, '{}', typed(type))).toBe('media_type_unsupported');
});

test('CSV is accepted only by operations that import rows', async () => {
  for (const type of ['text/csv', 'TEXT/CSV; header=present; charset=utf-8', 'application/json'])
    expect(await mediaOf(rows, 'a,b', typed(type))).toBeNull();
  for (const type of ['text/csv; charset=latin1', 'text/csvx', 'x-text/csv', 'text/plain'])
    expect(await mediaOf(rows, 'a,b', typed(type))).toBe('media_type_unsupported');
  expect(await mediaOf(messages, 'a,b', typed('text/csv'))).toBe('media_type_unsupported');
});

test('the content type may be omitted only if there is no body', async () => {
  expect(await mediaOf(json, '{}', {} as never)).toBe('media_type_unsupported');
  expect(await mediaOf(json, '', {} as never)).toBeNull();
  expect(await mediaOf(json, undefined, {} as never)).toBeNull();
});

test('the content type is ignored if the operation reads no body', async () => {
  expect(await mediaOf(none, 'anything', typed('text/plain'))).toBeNull();
  expect(await mediaOf(none, 'anything', {} as never)).toBeNull();
});

describe('body size', () => {
  test('body size is limited to 256 KiB, and to 1 MiB for messages', async () => {
    expect(bodyLimits).toEqual({ json: 256 * KIB, messages: 1_024 * KIB });
    for (const operation of [json, rows, none]) {
      expect(await mediaOf(operation, 'x'.repeat(256 * KIB))).toBeNull();
      expect(await mediaOf(operation, 'x'.repeat(256 * KIB + 1))).toBe('body_too_large');
    }
    expect(await mediaOf(messages, 'x'.repeat(1_024 * KIB))).toBeNull();
    expect(await mediaOf(messages, 'x'.repeat(1_024 * KIB + 1))).toBe('body_too_large');
  });

  test("body size is measured in UTF-8 bytes, regardless of the gateway's encoding", async () => {
    expect(await mediaOf(json, 'ä'.repeat(128 * KIB))).toBeNull();
    expect(await mediaOf(json, 'ä'.repeat(128 * KIB + 1))).toBe('body_too_large');
    expect(await mediaOf(json, Buffer.alloc(256 * KIB))).toBeNull();
    expect(await mediaOf(json, Buffer.alloc(256 * KIB + 1))).toBe('body_too_large');
  });

  test('body size is checked after the content type', async () => {
    expect(await mediaOf(json, 'x'.repeat(256 * KIB + 1), typed('text/plain'))).toBe('media_type_unsupported');
    expect(await mediaOf(json, 'x'.repeat(256 * KIB + 1), {} as never)).toBe('body_too_large');
  });
});

test('a body is counted by the number of messages in it', () => {
  const count = (body?: string | Buffer) => messagesOf(exchangeOf(messages, body === undefined ? {} : { body }));
  expect(count('[{},{},{}]')).toBe(3);
  expect(count(Buffer.from('[{},{}]'))).toBe(2);
  expect(count()).toBe(1);
  const padded = (bytes: number) => '[{},{}]'.padEnd(bytes);
  expect([count(padded(1_024 * KIB)), count(padded(1_024 * KIB + 1))]).toEqual([2, 1]);
});

describe('request input', () => {
  const full = operationWith({
    method: 'PUT',
    params: z.object({ ruleId: z.coerce.number() }),
    query: z.object({ page: z.coerce.number().default(0) }),
    body: z.object({ name: z.string() }),
  });
  const headers = typed('application/json');
  const read = (operation: typeof json, request: Parameters<typeof exchangeOf>[1], path = {}) => {
    const exchange = exchangeOf(operation, request, { path });
    readInput(exchange);
    const { params, query, body } = exchange;
    return { params, query, body };
  };
  const errorsOf = (...args: Parameters<typeof read>) => {
    try {
      read(...args);
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code, paths: error.fieldErrors?.map(({ path }) => path) };
    }
    return null;
  };
  test('request input contains only what the operation declares, in parsed form', () => {
    const request = { headers, query: { page: '2', more: 'x' }, body: '{"name":"n","more":1}' };
    expect(read(full, request, { ruleId: '5', more: 'x' })).toEqual({
      params: { ruleId: 5 },
      query: { page: 2 },
      body: { name: 'n' },
    });
    expect(read(full, { headers, body: '{"name":"n"}' }, { ruleId: '5' }).query).toEqual({ page: 0 });
    expect(read(none, request, { ruleId: '5' })).toEqual({ params: {}, query: undefined, body: undefined });
  });

  test('invalid request input returns a 400 that lists all errors', () => {
    const request = { headers, query: { page: 'x' }, body: '{"name":1}' };
    const errors = errorsOf(full, request, { ruleId: 'x' });
    expect(errors).toEqual({ code: 'bad_request', paths: ['ruleId', 'page', 'name'] });
  });

  test('a missing field returns a 400 that names the field', () => {
    expect(() => read(json, { headers, body: '{}' })).toThrow(
      expect.objectContaining({ fieldErrors: [{ path: 'name', problem: 'required' }] }),
    );
  });

  test('invalid JSON, invalid UTF-8 or a byte order mark returns a 400 without a path', () => {
    const error = { code: 'bad_request', paths: [''] };
    expect(errorsOf(json, { headers, body: '{"name":' })).toEqual(error);
    expect(errorsOf(json, { headers, body: Buffer.from('7b226e616d65223a22ff227d', 'hex') })).toEqual(error);
    expect(errorsOf(json, { headers, body: '\u{feff}{"name":"n"}' })).toEqual(error);
    expect(() => read(json, { headers, body: Buffer.of(0xff) })).toThrow(
      expect.objectContaining({ fieldErrors: [{ path: '', problem: 'json' }] }),
    );
  });

  test('message and CSV bodies are not parsed as JSON', () => {
    expect(read(messages, { headers, body: ' [1.0]' }).body).toBe(' [1.0]');
    expect(read(rows, { headers: typed('text/csv'), body: '[1]' }).body).toBe('[1]');
    expect(read(rows, { headers, body: '[1]' }).body).toEqual([1]);
    expect(read(rows, { body: '[1]' }).body).toEqual([1]);
    expect(read(json, { headers: typed('text/csv'), body: '{"name":"n"}' }).body).toEqual({ name: 'n' });
  });

  test('messages and rows must be in UTF-8 too', () => {
    for (const operation of [messages, rows])
      expect(errorsOf(operation, { headers: typed('text/csv'), body: Buffer.of(0xff) })).toEqual({
        code: 'bad_request',
        paths: [''],
      });
  });
});

describe('request customer', () => {
  const customerOf = async (within: string | undefined, params: object, caller: Partial<Caller> | null) => {
    const { guard } = createGuard();
    const ownerOf = async (kind: string, id: unknown) => (id === 40 && kind === 'rule' ? 9 : null);
    const customers = { ...guard.store.customers, ownerOf } as never;
    const exchange = exchangeOf(
      operationWith({ within }),
      {},
      { caller: caller && callerWith(caller), params: { ...params } },
    );
    const code = await codeOf(() => findCustomer({ ...guard.store, customers }, exchange));
    return code ?? exchange.customerId;
  };
  const admin = { isAdmin: true, customerId: null };
  test("a request belongs to the caller's customer, regardless of the object in the path", async () => {
    for (const within of ['sensor', 'sensor_group', 'bot', 'rule', 'webhook', 'user'])
      expect(await customerOf(within, { ruleId: 40, userId: 8 }, {})).toBe(3);
  });

  test("a system admin's request belongs to the customer who owns the object", async () => {
    expect(await customerOf('rule', { ruleId: 40 }, admin)).toBe(9);
    expect(await customerOf('rule', { ruleId: 40 }, { ...admin, customerId: 3 })).toBe(9);
    expect(await customerOf('rule', { ruleId: 41 }, admin)).toBe('rule_not_found');
    expect(await customerOf('bot', { ruleId: 40, botId: 40 }, admin)).toBe('bot_not_found');
    // The result is the same if the caller's user has the same id.
    expect(await customerOf('rule', { ruleId: 40 }, { ...admin, accountId: 40, customerId: 3 })).toBe(9);
  });

  test('only users of a customer and system admins can name that customer in the path', async () => {
    expect(await customerOf('customer', { customerId: 3 }, {})).toBe(3);
    expect(await customerOf('customer', { customerId: 4 }, {})).toBe('customer_not_found');
    expect(await customerOf('customer', { customerId: 4 }, admin)).toBe(4);
  });

  test('a caller without a customer can access only their own user', async () => {
    expect(await customerOf('rule', { ruleId: 40 }, { customerId: null })).toBe('rule_not_found');
    expect(await customerOf('user', { userId: 8 }, { customerId: null })).toBe('user_not_found');
    expect(await customerOf('user', { userId: 7 }, { customerId: null })).toBe(0);
    expect(await customerOf('user', { userId: 7 }, {})).toBe(3);
    expect(await customerOf('user', { userId: 7 }, { ...admin, customerId: 3 })).toBe(3);
  });

  test('does not look up the customer if there is no object or logged-in user', async () => {
    expect(await customerOf(undefined, { ruleId: 40 }, admin)).toBe(0);
    expect(await customerOf('rule', { ruleId: 40 }, null)).toBe(0);
  });

  test.each([
    ['sensor', 'sensorId'],
    ['sensor_group', 'groupId'],
    ['bot', 'botId'],
    ['rule', 'ruleId'],
    ['webhook', 'webhookId'],
    ['user', 'userId'],
  ])("looks up the customer for a system admin's request about a %s by %s", async (within, param) => {
    const { guard } = createGuard();
    const asked: unknown[] = [];
    const ownerOf = async (kind: string, id: unknown) => {
      asked.push([kind, id]);
      return 9;
    };
    const customers = { ...guard.store.customers, ownerOf } as never;
    const exchange = exchangeOf(operationWith({ within }), {}, { caller: callerWith(admin), params: { [param]: 'x' } });
    await findCustomer({ ...guard.store, customers }, exchange);
    expect([asked, exchange.customerId]).toEqual([[[within, 'x']], 9]);
  });
});
