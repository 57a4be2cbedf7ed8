import { afterEach, expect, test } from 'vitest';
import type { User } from '#shared/domain/identity/user.ts';
import type { ImportJob } from '#shared/domain/import/import-job.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { createImportWorld, type Imported, type Rows } from '../fixtures/import-world.ts';

type World = Awaited<ReturnType<typeof createImportWorld>>;
let world: World | null = null;
afterEach(async () => world?.stop());

/** Starts a cloud in which the process ends once after each import step, before recording the step. */
const begin = async () => {
  let applied = 0;
  const failpoint: Runtime['failpoint'] = (name) => {
    if (name === 'import.applied' && ++applied % 2 === 1) throw new Error('the process ends here');
  };
  const started = await createImportWorld({ wrap: (runtime) => ({ ...runtime, failpoint }), log: () => {} });
  world = started;
  const home = await started.furnish();
  const end = async (kind: string, rows: Rows): Promise<Imported> => {
    const { body } = await home.send(kind, rows);
    const path = `/customers/${home.customerId}/imports/${(body as Imported).id}`;
    for (let minute = 0; minute < 120; minute++) {
      await started.pass(60_000);
      const job = await home.client.ok<Imported>('GET', path);
      if (job.state !== 'running') return job;
    }
    throw new Error('the import has not ended');
  };
  return { world: started, home, end, applied: () => applied };
};

test('an import creates each user only once even if the process dies at any step', async () => {
  const { home, end, applied } = await begin();
  const people = Array.from({ length: 5 }, (_, at) => ({
    username: `user-${at}`,
    firstName: 'A',
    lastName: `${at}`,
    email: `user-${at}@example.com`,
  }));
  expect(await end('users', people)).toMatchObject({ state: 'completed', rows: 5, created: 5, errors: [] });
  expect(applied()).toBe(10);
  const [page] = await home.client.ok<{ total: number; data: User[] }[]>('GET', '/users?perPage=200');
  const names = page?.data.filter(({ username }) => username.startsWith('user-')).map(({ lastName }) => lastName);
  expect(names).toEqual(people.map(({ lastName }) => lastName));
  expect(page?.total).toBe(6);
});

test('an import creates rules and groups only once, however often steps are repeated', async () => {
  const { home, end, applied } = await begin();
  const rule = { title: 't', message: 'm', situation: 'fall_detected', recipients: 'onDuty:sms' };
  const rules = Array.from({ length: 4 }, (_, at) => ({ ...rule, name: `Rule ${at}` }));
  expect(await end('rules', rules)).toMatchObject({ state: 'completed', created: 4, errors: [] });
  expect(applied()).toBe(8);
  const [page] = await home.client.ok<{ total: number; data: Rule[] }[]>('GET', '/rules');
  expect(page?.data.map(({ name }) => name)).toEqual(rules.map(({ name }) => name));
  // The quota count is also correct, which leaves 46 of the 50 rules that may be enabled.
  const more = (count: number) => Array.from({ length: count }, (_, at) => ({ ...rule, name: `More ${at}` }));
  expect((await home.send('rules', more(47))).status).toBe(409);
  expect(await end('rules', more(46))).toMatchObject({ state: 'completed', created: 46, errors: [] });

  const { hardwareId } = (await store(home.table).sensors.get(home.customerId, home.sensorId)) ?? {};
  const sensors = [{ hardwareId, name: 'Room 1', group: 'Ward' }];
  expect(await end('sensors', sensors)).toMatchObject({ state: 'completed', updated: 1 });
  expect(await home.client.ok('GET', '/sensor-groups')).toMatchObject([{ name: 'Ward', sensorIds: [home.sensorId] }]);
  expect(await home.client.ok('GET', `/sensors/${home.sensorId}`)).toMatchObject({ name: 'Room 1' });
});

test('an import resumed by the sweep reports rows that others have changed', async () => {
  const { world, home } = await begin();
  const anna = await home.hire('Anna', {}, { email: 'anna@example.com' });
  const { customerId } = home;
  const time = world.now();
  const job: ImportJob = {
    id: '0'.repeat(26),
    customerId,
    imported: 'users',
    state: 'running',
    createDate: time,
    updateDate: time,
    rows: 2,
    created: 0,
    updated: 2,
    actor: { kind: 'user', id: '1', name: 'A' },
    done: 0,
    problems: [],
  };
  const profile = { firstName: 'A', lastName: 'New', locale: 'en', telegramId: null, mobileNumber: null };
  const update = (row: number, id: number, email: string) =>
    ({ do: 'update_user', row, id, profile: { ...profile, email }, permissions: ['manage_rules'] }) as const;
  const steps = [update(1, 987_654, 'gone@example.com'), update(2, anna.id, 'anna@example.com')];
  await store(home.table).imports.create(
    job,
    steps.map((step) => ({ ...step, permissions: ['manage_rules'] })),
    '192.0.2.1',
  );
  for (let minute = 0; minute < 20; minute++) await world.pass(60_000);
  expect(await home.client.ok('GET', `/customers/${customerId}/imports/${job.id}`)).toMatchObject({
    state: 'failed',
    errors: [{ row: 1, field: 'username', message: expect.stringContaining('deleted') }],
  });
  const changed = { lastName: 'New', permissions: ['manage_rules'] };
  expect(await home.client.ok('GET', `/users/${anna.id}`)).toMatchObject(changed);
});
