import { afterEach, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { register } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY, withShortPauses } from '#test/fixtures/cloud.ts';
import { fallMessage, nextHardwareId } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

type Job = { id: string; state: string; url: string | null };
type World = Awaited<ReturnType<typeof createPeopleWorld>>;

let world: World;
afterEach(() => world.stop());

/** Creates a home in a cloud. `before` is called before each write by a function. */
const furnish = async (before: (writes: readonly Write[]) => Promise<void> = async () => {}) => {
  const wrap = (runtime: Runtime): Runtime => {
    const write = async (...writes: Write[]) => {
      await before(writes);
      return runtime.table.write(...writes);
    };
    return withShortPauses({ ...runtime, table: { ...runtime.table, write } });
  };
  world = await createPeopleWorld({ wrap });
  const home = await world.furnish();
  const at = (what: 'exports' | 'erasures', id = '') => `/customers/${home.customerId}/${what}${id && `/${id}`}`;
  const begin = (what: 'exports' | 'erasures', subject: object): Promise<Job> =>
    home.admin.ok<Job>('POST', at(what), { subject, reason: 'asked for it', password: ADMIN_PASSWORD });
  const customer = { kind: 'customer', id: home.customerId };
  const passMinutes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) await world.pass(60_000);
  };
  return { ...home, at, begin, customer, passMinutes };
};

/** Creates a hook that blocks an erasure until a second one has found the subject too. */
const startTogether = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return async ([write]: readonly Write[]) => {
    if (!write || !('put' in write) || !write.put.sk.startsWith('JOB#erasure#')) return;
    waiting += 1;
    if (waiting === 2) resolve();
    await promise;
  };
};

test('keeps an export file for a day even if the task is received twice', async () => {
  const { admin, at, begin, customer, customerId } = await furnish();
  const { id } = await begin('exports', customer);
  await world.idle();
  const { url } = await admin.ok<Job>('GET', at('exports', id));
  // The sweep enqueues a second task once the first has been queued for more than a minute.
  await store(world.table).dataJobs.schedule({ customerId, kind: 'export', id }, world.now());
  await world.pass(1);
  expect((await fetch(url ?? '')).status).toBe(200);
  expect(await admin.ok('GET', at('exports', id))).toMatchObject({ state: 'completed', url: expect.any(String) });
  await world.pass(86_400_001);
  expect((await fetch(url ?? '')).status).toBe(403);
  expect((await store(world.table).dataJobs.get({ customerId, kind: 'export', id }))?.file).toBeUndefined();
});

test("erases a sensor linked while the customer's erasure starts", async () => {
  let link: (() => Promise<unknown>) | null = null;
  const { client, customerId, begin, customer, passMinutes } = await furnish(async ([write]) => {
    if (!link || !write || !('remove' in write) || write.remove.sk !== items.customer({ customerId }).sk) return;
    const now = link;
    link = null;
    await now?.();
  });
  const hardwareId = nextHardwareId();
  const { sensorId, deviceToken, pairingCode } = await register(client, PROVISIONING_KEY, hardwareId);
  link = () => client.call('POST', '/sensors/link', { manufacturer: 'maker_a', code: pairingCode });
  await begin('erasures', customer);
  await passMinutes(20);
  const device = client.as(deviceToken);
  const sent = await device.call('POST', `/devices/${sensorId}/messages`, fallMessage('calling', world.now()));
  expect(sent.status).toBe(401);
  expect(await register(client, PROVISIONING_KEY, hardwareId)).toMatchObject({ sensorId });
});

test("a device that registers during the customer's erasure stays registered", async () => {
  let registerAgain: (() => Promise<void>) | null = null;
  const { sensorId, customerId, client, begin, customer, passMinutes } = await furnish(async ([write]) => {
    if (!registerAgain || !write || !('remove' in write)) return;
    const { pk, sk } = items.sensor({ customerId, sensorId });
    if (write.remove.pk !== pk || write.remove.sk !== sk) return;
    const now = registerAgain;
    registerAgain = null;
    await now();
    throw new TableUnavailable('the table is unavailable');
  });
  const { hardwareId = '' } = (await store(world.table).sensors.get(customerId, sensorId)) ?? {};
  let token = '';
  registerAgain = async () => {
    token = (await register(client, PROVISIONING_KEY, hardwareId)).deviceToken;
  };
  await begin('erasures', customer);
  await passMinutes(20);
  const device = client.as(token);
  const sent = await device.call('POST', `/devices/${sensorId}/messages`, fallMessage('calling', world.now()));
  expect(sent.status).toBe(202);
});

test.each([0, 1])('a sensor can be linked only after both erasures have ended (erasure %i ends last)', async (late) => {
  const { client, customerId, begin, passMinutes } = await furnish(startTogether());
  const hardwareId = nextHardwareId();
  const registerDevice = () => register(client, PROVISIONING_KEY, hardwareId);
  const link = async () => {
    const { pairingCode: code } = await registerDevice();
    return (await client.call('POST', '/sensors/link', { manufacturer: 'maker_a', code })).status;
  };
  const { sensorId } = await registerDevice();
  expect(await link()).toBe(200);
  const subject = { kind: 'sensor', id: sensorId };
  const jobs = await Promise.all([begin('erasures', subject), begin('erasures', subject)]);
  const ids = jobs.map(({ id }) => id).sort();
  await passMinutes(10);
  const { dataJobs } = store(world.table);
  const states = () =>
    Promise.all(ids.map(async (id) => (await dataJobs.get({ customerId, kind: 'erasure', id }))?.state));
  // Schedules the job as if the process running it had died.
  await dataJobs.schedule({ customerId, kind: 'erasure', id: ids[late] ?? '' }, world.now() + 15 * 60_000);
  await passMinutes(10);
  expect((await states())[late]).toBe('running');
  expect(await link()).toBe(409);
  await passMinutes(20);
  expect(await states()).toEqual(['completed', 'completed']);
  expect(await link()).toBe(200);
});

test('erasing already erased users does not delay other jobs', async () => {
  let led = 0;
  const { hire, admin, at, begin, customer, customerId } = await furnish(async ([write]) => {
    if (write && 'put' in write && write.put.sk.startsWith('LEAD#')) led += 1;
  });
  const { users, subjects, dataJobs } = store(world.table);
  const hired = [await hire('Wanda', {}), await hire('Viktor', {})];
  const createDate = world.now();
  const common = { reason: 'asked for it', counts: {}, remains: [] };
  for (const { id } of hired) {
    const user = await users.get(customerId, id);
    await subjects.remove(items.account({ accountKey: user?.accountKey ?? '' }));
    const job = { id: `${id}`.padStart(26, '0'), kind: 'erasure', customerId, subject: { kind: 'user', id } } as const;
    await dataJobs.create({ ...job, ...common, state: 'running', createDate, updateDate: createDate });
  }
  const swept = world.pass(1);
  await expect.poll(() => led).toBeGreaterThanOrEqual(2);
  const { id } = await begin('exports', customer);
  try {
    const exported = () => admin.ok('GET', at('exports', id));
    await expect.poll(exported, { timeout: 8_000 }).toMatchObject({ state: 'completed' });
  } finally {
    for (const user of hired) await subjects.remove(items.user({ customerId, userId: user.id }));
    await swept;
  }
});
