import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { expectValidResponse } from '#test/contracts/calls.ts';
import { sendRaw } from '#test/contracts/raw.ts';
import { type Answer, type Client, logIn } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let token = '';
beforeAll(async () => {
  cloud = await startTestCloud();
  const answer = await (await adminOf(cloud.url)).as(undefined).call('POST', '/users/login', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  token = answer.headers.get('token') ?? '';
  admin = (await adminOf(cloud.url)).as(token);
});
afterAll(async () => {
  await cloud.stop();
});

const customer = (name: string) => `{"name":${name},"location":"","email":""}`;
const createCustomer = (body: string) => admin.call('POST', '/customers', body);
const pathsOf = ({ body }: Answer) => (body as { errors: { path: string }[] }).errors.map(({ path }) => path);
const sendCustomer = (body: Uint8Array | string, headers: Record<string, string | string[]> = {}) =>
  sendRaw(`${cloud.url}/customers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body,
  });

describe('integers in a body', () => {
  const login = (id: string) =>
    admin.as(undefined).call('POST', '/users/login', `{"username":"admin","password":"${ADMIN_PASSWORD}","id":${id}}`);
  test.each(['1.0', '1e0', '"1"', '-0', '9007199254740993', '1.5', 'true', '[1]', '{}'])(
    'an integer written as %s is rejected with a 400 that names the field',
    async (id) => {
      const answer = await login(id);
      expect(answer.status, answer.text).toBe(400);
      expect(new Set(pathsOf(answer))).toEqual(new Set(['id']));
      expectValidResponse(answer);
    },
  );
  test('an integer field accepts an exact integer or null', async () => {
    const { id } = await admin.ok<{ id: number }>('GET', '/users/me');
    expect((await login(String(id))).status).toBe(200);
    expect((await login('null')).status).toBe(200);
  });
});

describe('strings', () => {
  test.each([
    ['a NUL', '"a\\u0000b"'],
    ['a control character', '"a\\u001fb"'],
    ['a lone high surrogate', '"a\\ud800"'],
    ['a lone low surrogate', '"\\udc00a"'],
    ['surrogates in the wrong order', '"\\udc00\\ud800"'],
    ['U+FFFE', '"\\ufffe"'],
    ['U+FFFF', '"\uffff"'],
  ])('a string containing %s is rejected with a 400 that names the field', async (_, name) => {
    const answer = await createCustomer(customer(name));
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['name']]);
  });
  test('string length is measured in code points', async () => {
    for (const name of ['\u{1f3e5}'.repeat(128), 'e\u0301 %23#{}$&\\"\u{fffd}', '\u{10ffff}']) {
      const created = await admin.ok<{ id: number; name: string }>(
        'POST',
        '/customers',
        customer(JSON.stringify(name)),
      );
      expect(await admin.ok('GET', `/customers/${created.id}`)).toMatchObject({ name });
    }
    expect((await createCustomer(customer(JSON.stringify('\u{1f3e5}'.repeat(129))))).status).toBe(400);
  });
  test('a lone surrogate in a login username does not cause a server error', async () => {
    const login = { username: '\ud800', password: 'x' };
    expect([400, 401]).toContain((await admin.as(undefined).call('POST', '/users/login', login)).status);
  });
  test('a lone surrogate in a sensor id is rejected with a 400', async () => {
    const rule = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', sensorId: '\ud800', customerId: 1 };
    const recipients = [{ botId: 1, webhookId: '00000000-0000-4000-8000-000000000000' }];
    expect((await admin.call('POST', '/rules', { ...rule, recipients })).status).toBe(400);
  });
  // U+FDFA is one code point, but 18 when normalized.
  test.each(['', '\ufdfa'.repeat(1_024), '\u{1f3e5}'.repeat(512), '#'.repeat(1_024)])(
    'a login username of any length does not cause a server error (%#)',
    async (username) => {
      const answer = await admin.as(undefined).call('POST', '/users/login', { username, password: 'x' });
      expect([400, 401]).toContain(answer.status);
    },
  );
  test('a new username that grows when normalized does not cause a server error', async () => {
    const person = { password: 'a-password-of-no-interest', firstName: '', lastName: '', email: '', customerId: null };
    const answer = await admin.call('POST', '/users', { ...person, username: '\ufdfa'.repeat(64) });
    expect([201, 400], answer.text).toContain(answer.status);
  });
});

describe('request bodies', () => {
  test('a body that is not UTF-8 is rejected with a 400', async () => {
    const head = Buffer.from('{"name":"');
    const tail = Buffer.from('","location":"","email":""}');
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
      const answer = await sendCustomer(Buffer.concat([head, Buffer.from(bytes), tail]));
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['']]);
    }
  });
  test('a body with a byte order mark is rejected with a 400', async () => {
    expect((await sendCustomer(`\u{feff}${customer('"n"')}`)).status).toBe(400);
  });
  test('a body nested deeper than 32 levels is rejected with a 400', async () => {
    const deep = '['.repeat(40) + ']'.repeat(40);
    const answer = await createCustomer(`{"name":"n","location":"","email":"","more":${deep}}`);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['']]);
  });
  test('unknown fields, read-only fields and __proto__ are accepted in a body but not stored', async () => {
    const extra =
      '"id":1,"createDate":7,"pk":"CUSTOMERS","hooks":{"a":"full"},"constructor":1,"__proto__":{"isAdmin":true}';
    const created = await admin.ok<{ id: number }>(
      'POST',
      '/customers',
      `{"name":"n","location":"","email":"",${extra}}`,
    );
    const stored = await admin.ok<{ createDate: number }>('GET', `/customers/${created.id}`);
    const known = ['createDate', 'email', 'id', 'location', 'name', 'requireOtp', 'timeZone', 'updateDate'];
    expect(Object.keys(stored).sort()).toEqual(known);
    expect(stored.createDate).not.toBe(7);
  });
  test('extra fields in a body cannot make a user an admin', async () => {
    const extra = '"isAdmin":true,"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}';
    const person =
      '"username":"climber","password":"a-password-of-no-interest","firstName":"","lastName":"","email":""';
    const user = await admin.ok('POST', '/users', `{${person},"customerId":null,${extra}}`);
    expect(user).toMatchObject({ isAdmin: false, permissions: [] });
    const climber = await logIn(admin.as(undefined), 'climber', 'a-password-of-no-interest');
    expect((await climber.call('GET', '/customers')).status).toBe(403);
  });
});

describe('two Authorization headers', () => {
  test('two Authorization headers are rejected with a 400 for every operation', async () => {
    const twice = await sendCustomer(customer('"n"'), { authorization: [`Bearer ${token}`, `Bearer ${token}`] });
    expect([twice.status, pathsOf(twice)]).toEqual([400, ['Authorization']]);
    expectValidResponse(twice);
    const authorization = ['Basic x', `Bearer ${token}`];
    const config = await sendRaw(`${cloud.url}/server/config`, { method: 'GET', headers: { authorization } });
    expect(config.status).toBe(400);
  });
  test('two Authorization headers with a session cookie are rejected with a 403 and end the session', async () => {
    const session = await logIn(admin.as(undefined), 'admin', ADMIN_PASSWORD);
    const cookie = `PSAUTHTOKEN=${session.token}`;
    const authorization = [`Bearer ${token}`, `Bearer ${token}`];
    expect((await sendCustomer(customer('"n"'), { authorization, cookie })).status).toBe(403);
    expect((await session.call('GET', '/users/me')).status).toBe(401);
  });
});

test('two X-CSRF-Token headers without a cookie are rejected with a 400', async () => {
  const twice = await sendCustomer(customer('"n"'), { 'X-CSRF-Token': ['a', 'a'] });
  expect([twice.status, pathsOf(twice)]).toEqual([400, ['X-CSRF-Token']]);
});

describe('unmatched requests', () => {
  test('responses to unknown paths, trailing slashes and invalid escapes have the usual format', async () => {
    for (const path of ['/nothing', '/users/me/nothing/at/all', '/users/', '/users/%zz', '/%00', '/sensors//']) {
      const answer = await admin.call('GET', path);
      expect([400, 404], path).toContain(answer.status);
      expectValidResponse(answer);
    }
  });
  test('the response to a request target that is not a URL has the usual format', async () => {
    for (const path of ['http://[x', '/\\\\[', '*']) {
      const answer = await sendRaw(cloud.url, { method: 'GET', path });
      expect([400, 404], path).toContain(answer.status);
      expectValidResponse(answer);
    }
  });
  test('the response to a body above the gateway limit has the usual format', async () => {
    const answer = await createCustomer(customer(`"${'x'.repeat(11 * 1_024 * 1_024)}"`));
    expect(answer.status).toBe(413);
    expectValidResponse(answer);
  });
});

test.each(['en', 'de'])('X-Error-Code is the same in every language (%s)', async (language) => {
  const codeOf = async (path: string, client = admin) =>
    (await client.call('GET', path, undefined, { 'accept-language': language })).headers.get('x-error-code');
  expect(await codeOf('/users/me', admin.as(undefined))).toBe('credentials_invalid');
  expect(await codeOf('/rules/987654')).toBe('rule_not_found');
  expect(await codeOf('/rules?page=x')).toBe('bad_request');
  expect(await codeOf('/nowhere')).toBe('path_unknown');
  expect(await codeOf('/users/me')).toBeNull();
});

describe('error message language', () => {
  const messageOf = async (headers: Record<string, string>, client = admin.as(undefined)) =>
    ((await client.call('GET', '/users/me', undefined, headers)).body as { message: string }).message;

  test.each([
    ['de', 'Die Anmeldedaten sind ungültig'],
    ['de-AT', 'Die Anmeldedaten sind ungültig'],
    ['DE', 'Die Anmeldedaten sind ungültig'],
    ['fr, de;q=0.5, en;q=0.4', 'Die Anmeldedaten sind ungültig'],
    ['en, de', 'The login details are not valid'],
    ['de;q=0.2, en;q=0.8', 'The login details are not valid'],
    ['de;q=0', 'The login details are not valid'],
    ['fr', 'The login details are not valid'],
    ['*', 'The login details are not valid'],
    [';;;,,=q', 'The login details are not valid'],
    ['', 'The login details are not valid'],
  ])('an error message follows the best Accept-Language match: %s', async (language, message) => {
    expect(await messageOf({ 'accept-language': language })).toBe(message);
  });
  test('an error message uses the language of a logged-in user', async () => {
    const person = { firstName: '', lastName: '', email: '', customerId: null, locale: 'de' };
    const username = 'deutsch';
    const password = 'a-password-of-no-interest';
    await admin.ok('POST', '/users', { ...person, username, password });
    const user = await logIn(admin.as(undefined), username, password);
    const refused = await user.call('GET', '/customers', undefined, { 'accept-language': 'en' });
    expect(refused.body).toEqual({ message: 'Das ist nicht erlaubt', statusCode: 403 });
    const wrong = await user.call('GET', '/sensors?page=-1', undefined, { 'accept-language': 'en' });
    expect(wrong.body).toEqual({
      message: 'Die Anfrage ist ungültig',
      statusCode: 400,
      errors: [{ path: 'page', message: 'muss mindestens 0 sein' }],
    });
  });
});
