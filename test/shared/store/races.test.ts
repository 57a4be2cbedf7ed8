import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, nextHardwareId } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  admin = await adminOf(cloud.url);
});
afterAll(async () => {
  await cloud.stop();
});

const atOnce = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const count = <T>(list: readonly T[], item: T) => list.filter((other) => other === item).length;

describe('50 parallel requests', () => {
  test('only one of 50 parallel requests for a username succeeds and sets the password', async () => {
    const spell = (at: number) => (at % 2 === 0 ? 'Same-Name' : 'sAME-nAME');
    const password = (at: number) => `password-number-${at}`;
    const person = { firstName: '', lastName: '', email: '', customerId: null };
    const statuses = await atOnce(50, async (at) => {
      const body = { username: spell(at), password: password(at), ...person };
      return (await admin.call('POST', '/users', body)).status;
    });
    expect([count(statuses, 201), count(statuses, 409)]).toEqual([1, 49]);
    const winner = statuses.indexOf(201);
    const login = await admin
      .as(undefined)
      .call('POST', '/users/login', { username: 'same-name', password: password(winner) });
    expect(login.status).toBe(200);
  });

  test('50 parallel requests link a sensor to exactly one of ten customers', async () => {
    const homes = await Promise.all(Array.from({ length: 10 }, (_, at) => createHome(admin, `racer-${at}`, [])));
    const { pairingCode: code, sensorId } = await register(admin, PROVISIONING_KEY, nextHardwareId());
    const tries = await atOnce(50, async (at) => {
      const home = homes[at % 10];
      const answer = await home?.client.call('POST', '/sensors/link', { manufacturer: 'maker_a', code });
      return { status: answer?.status ?? 0, customerId: home?.customerId };
    });
    expect(tries.filter(({ status }) => ![200, 404, 409].includes(status))).toEqual([]);
    const winners = new Set(tries.filter(({ status }) => status === 200).map(({ customerId }) => customerId));
    const lists = await Promise.all(
      homes.map(({ client }) => client.ok<{ data: { id: string }[] }[]>('GET', '/sensors')),
    );
    const owners = homes.filter((_, at) => lists[at]?.[0]?.data.some(({ id }) => id === sensorId));
    expect(owners.length).toBe(1);
    expect([...winners]).toEqual(owners.map(({ customerId }) => customerId));
  });
});

describe('parallel registrations', () => {
  test('ten parallel registrations create one sensor and leave exactly one valid token', async () => {
    const body = { manufacturer: 'maker_b', hardwareId: nextHardwareId(), firmwareVersion: 1 };
    const answers = await atOnce(10, () => admin.as(PROVISIONING_KEY).call('POST', '/devices/register', body));
    expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    const registrations = answers
      .filter(({ status }) => status < 300)
      .map((answer) => answer.body as { sensorId: string; deviceToken: string });
    expect(new Set(registrations.map(({ sensorId }) => sensorId)).size).toBe(1);
    const statuses = await Promise.all(
      registrations.map(async ({ sensorId, deviceToken }) => {
        const path = `/devices/${sensorId}/messages`;
        return (await admin.as(deviceToken).call('POST', path, { cmd: 'event', type: 99 })).status;
      }),
    );
    expect(count(statuses, 202)).toBe(1);
    expect(count(statuses, 401)).toBe(registrations.length - 1);
  });
});
