import { once } from 'node:events';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { clientOf, logIn, register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { startHost } from '../fixtures/host.ts';

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const inMemory = { DATA_DIR: ':memory:' };
const TLS = { TLS_CERT: fixture('self-signed.crt'), TLS_KEY: fixture('self-signed.key') };
/** Accepts the self-signed certificate. */
const insecure = { rejectUnauthorized: false };

const startError = (environment: Record<string, string>): Promise<string> =>
  startHost({ ...inMemory, ...environment }, ['withoutDemo'], 'kept').then(
    () => expect.unreachable('it started'),
    (error: Error) => error.message,
  );

describe('a host that cannot start', () => {
  test('a startup error names the variable for a port already in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await startError({ PORT: String(port) })).toContain(
      `PORT: another process listens on port ${port} of 127.0.0.1`,
    );
    expect(await startError({ MQTT_PORT: String(port) })).toContain(
      `MQTT_PORT: another process listens on port ${port}`,
    );
    server.close();
  });

  test('a startup error names HOST if the address is not local', async () => {
    expect(await startError({ HOST: '192.0.2.1' })).toContain(
      'HOST: 192.0.2.1 is not an address or host name of this machine',
    );
  });

  test.each(['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS'])(
    'a startup error names %s if nothing responds there',
    async (name) => {
      const folder = name.endsWith('DYNAMODB') ? { DATA_DIR: '.local/none' } : {};
      expect(await startError({ ...folder, [name]: 'http://127.0.0.1:9' })).toContain(
        `${name}: no response from http://127`,
      );
    },
  );

  test('a startup error names TLS_CERT and TLS_KEY if the certificate is invalid', async () => {
    const pair = { TLS_CERT: fixture('self-signed.key'), TLS_KEY: fixture('self-signed.key') };
    expect(await startError(pair)).toMatch(/TLS_CERT and TLS_KEY: /);
  });
});

test('HOST=0.0.0.0 makes the host listen on every address and log a warning', async () => {
  await using host = await startHost({ ...inMemory, HOST: '0.0.0.0' });
  expect(host.lines.filter((line) => line.startsWith('warning: '))).toEqual([
    expect.stringMatching(/passwords, tokens/),
  ]);
  const { port } = new URL(host.url);
  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family }) => family === 'IPv4');
  for (const { address } of own) {
    const { status } = await fetch(`http://${address}:${port}/api/v1/health`);
    expect([address, status]).toEqual([address, 200]);
  }
  const admin = await logIn(clientOf(host.url), 'admin', ADMIN_PASSWORD);
  const other = own.find(({ internal }) => !internal)?.address ?? hostname();
  expect((await admin.ok('GET', '/server/config')).url).toBe(`http://${other}:${port}`);
  expect(host.lines).toContain(`links in messages lead to http://${other}:${port}; set PUBLIC_URL to change that`);
  const hook = { name: 'own', format: 'full', isCustomerHook: true, customerId: 1 };
  await admin.ok('POST', '/customers', { name: 'home', location: '', email: '' });
  for (const { address } of own) {
    const { status } = await admin.call('POST', '/webhooks', { ...hook, url: `http://${address}:${port}/x` });
    expect([address, status]).toEqual([address, 400]);
  }
});

test('a certificate makes the host use TLS for HTTP and MQTT', async () => {
  await using host = await startHost({ ...inMemory, ...TLS, MQTT_PORT: '0' });
  expect(host.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  const call = async (method: string, path: string, input: object, token?: string) => {
    const authorization = token && { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const sent = request(host.url + path, { method, headers, ...insecure }).end(JSON.stringify(input));
    const [response] = await once(sent, 'response');
    const body = JSON.parse((await response.toArray()).join(''));
    return { status: response.statusCode, headers: response.headers, body };
  };
  const login = await call('POST', '/users/login', { username: 'admin', password: ADMIN_PASSWORD });
  expect(login.headers['set-cookie'].every((cookie: string) => cookie.includes('; Secure'))).toBe(true);
  const device = { manufacturer: 'maker_a', hardwareId: '0000000000AA', firmwareVersion: 42 };
  const { body } = await call('POST', '/devices/register', device, PROVISIONING_KEY);
  const mqtt = host.lines.find((line) => line.startsWith('mqtt '))?.slice(5) ?? '';
  expect(mqtt).toMatch(/^mqtts:/);
  const credentials = { clientId: body.sensorId, username: body.sensorId, password: body.deviceToken };
  const client = await connectAsync(mqtt, { ...credentials, protocolVersion: 4, ...insecure });
  await client.endAsync();
});

test('a plain HTTP request to a TLS port gets no response from the service', async () => {
  await using host = await startHost({ ...inMemory, ...TLS });
  const plain = clientOf(host.url.replace('https:', 'http:'));
  await expect(register(plain, PROVISIONING_KEY, '0000000000AB')).rejects.toThrow();
});
