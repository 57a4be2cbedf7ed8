import { describe, expect, test } from 'vitest';
import { handler } from '#functions/workers/authorizer/handler.ts';
import { denied } from '#functions/workers/authorizer/policy.ts';
import { systemClock } from '#lib/local/clock.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { drawToken, hashSecret, parseToken, type TokenKind } from '#shared/auth/tokens.ts';
import type { Device } from '#shared/domain/sensor/sensor.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createSensors } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const context = lambdaContext({ functionName: 'authorizer', timeoutSeconds: 5, clock: systemClock });

/** Creates the sensors `id_b` and `id_c`, whose devices have tokens of this kind. */
const createWorld = async (kind: TokenKind = 'device') => {
  const { table, register } = await createSensors();
  const accountKey = ['session', 'access'].includes(kind) ? 'k'.repeat(20) : '';
  const tokenOf = (n: number) => drawToken(kind, (bytes) => Buffer.alloc(bytes, n), accountKey);
  const tokens = { b: tokenOf(1), c: tokenOf(2) };
  await register('id_b', hashSecret(tokens.b));
  await register('id_c', hashSecret(tokens.c));
  const deviceOf = (token: string) => table.get<Device>(items.device({ hash: hashSecret(token) }));
  let now = NOW;
  const runtime = { table, createStore: store, settings: { MQTT_RULE: 'messages' }, log: () => {}, now: () => now };
  return {
    tokens,
    connection: async (token: string) => {
      const { connectionId, connectDate } = (await deviceOf(token)) ?? {};
      return [connectionId, connectDate];
    },
    pass: (ms: number) => {
      now += ms;
    },
    /** Connects over MQTT. `id` is the connection, which is missing if AWS IoT does not name it. */
    connect: (username: string, token: string, id?: string) => {
      const mqtt = { username, password: Buffer.from(token).toString('base64') };
      const event = { protocolData: { mqtt }, ...(id !== undefined && { connectionMetadata: { id } }) };
      return handler.with(runtime as never)(event, context);
    },
  };
};

describe('which devices may connect', () => {
  test('a device may connect only as its sensor', async () => {
    const { tokens, connect } = await createWorld();
    for (const [sensorId, token] of [
      ['id_b', tokens.b],
      ['id_c', tokens.c],
      ['id_c?SDK=any', tokens.c],
    ] as const) {
      const { isAuthenticated, principalId, policyDocuments } = await connect(sensorId, token);
      const principal = Buffer.from(hashSecret(token), 'base64url').toString('hex');
      expect([isAuthenticated, principalId]).toEqual([true, principal]);
      expect(policyDocuments).toMatchObject([{ Version: '2012-10-17' }]);
      const topics = JSON.stringify(policyDocuments).match(/id_\w/g) ?? [];
      expect(new Set(topics)).toEqual(new Set([sensorId.slice(0, 4)]));
    }
  });

  test.each(['id_b', 'id_B', 'id_cc', ' id_c', '', '?id_c', '*'])(
    "the device of id_c may not connect as '%s'",
    async (name) => {
      const { tokens, connect, connection } = await createWorld();
      expect(await connect(name, tokens.c, 'connection')).toEqual(denied);
      expect(await connection(tokens.c)).toEqual([undefined, undefined]);
    },
  );

  test('an unknown token, a damaged one, and none at all are denied', async () => {
    const { tokens, connect } = await createWorld();
    const unknown = drawToken('device', (bytes) => Buffer.alloc(bytes, 9));
    for (const token of [unknown, `${tokens.b}x`, tokens.b.slice(0, -1), 'x', '', tokens.b.toUpperCase()])
      expect([token, await connect('id_b', token)]).toEqual([token, denied]);
  });

  test.each(['session', 'access', 'provisioning'] as const)('a token of the kind %s is denied', async (kind) => {
    const { tokens, connect } = await createWorld(kind);
    expect(parseToken(tokens.b)).toMatchObject({ kind });
    expect(await connect('id_b', tokens.b)).toEqual(denied);
  });
});

describe('the connection of a device', () => {
  test('a new connection is recorded, and the checks of the same connection are not', async () => {
    const { tokens, connect, connection, pass } = await createWorld();
    await connect('id_b', tokens.b, 'first');
    expect(await connection(tokens.b)).toEqual(['first', NOW]);
    pass(300_000);
    await connect('id_b', tokens.b, 'first');
    expect(await connection(tokens.b)).toEqual(['first', NOW]);
    await connect('id_b', tokens.b, 'second');
    expect(await connection(tokens.b)).toEqual(['second', NOW + 300_000]);
  });

  test('an unnamed connection leaves the recorded one', async () => {
    const { tokens, connect, connection } = await createWorld();
    await connect('id_b', tokens.b, 'first');
    await connect('id_b', tokens.b);
    expect(await connection(tokens.b)).toEqual(['first', NOW]);
  });
});
