import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { Sensor } from '#shared/domain/sensor/sensor.ts';
import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { store } from '#shared/store/store.ts';
import { register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { linkSensor, nextHardwareId } from '#test/fixtures/home.ts';
import { createImportWorld, type Imported, placesIn } from '#test/fixtures/import-world.ts';

let world: Awaited<ReturnType<typeof createImportWorld>>;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.stop());

type Home = Awaited<ReturnType<(typeof world)['furnish']>>;
const hardwareIdOf = async ({ customerId }: Home, sensorId: string) =>
  (await store(world.table).sensors.get(customerId, sensorId))?.hardwareId ?? '';
const groupsOf = ({ session }: Home) => session.ok<SensorGroup[]>('GET', '/sensor-groups');
const rulesOf = async ({ session }: Home) => (await session.ok<{ data: Rule[] }[]>('GET', '/rules'))[0]?.data ?? [];

const access = { canLogin: true, isAdmin: false, permissions: ['manage_sensors', 'edit_sensor_config'] };

describe('sensor imports', () => {
  test('an import renames sensors and moves them to groups', async () => {
    const home = await world.furnish();
    const [a, b] = [await linkSensor(home.session), await linkSensor(home.session, 'maker_b')];
    const [idA, idB] = [await hardwareIdOf(home, a.sensorId), await hardwareIdOf(home, b.sensorId)];
    await home.session.ok('POST', '/sensor-groups', { name: 'Ward 1', sensorIds: [a.sensorId] });
    const withColons = idA.toLowerCase().match(/../g)?.join(':');
    const file = `hardwareId,name,group\n${withColons},"Room 1, left",Ward 2\n${idB},Room 2,Ward 2\n`;
    expect(await home.dryRun('sensors', file)).toEqual({ rows: 2, created: 0, updated: 2 });
    expect(await home.load('sensors', file)).toMatchObject({ state: 'completed', created: 0, updated: 2 });
    const nameOf = async (id: string) => (await home.session.ok<Sensor>('GET', `/sensors/${id}`)).name;
    expect([await nameOf(a.sensorId), await nameOf(b.sensorId)]).toEqual(['Room 1, left', 'Room 2']);
    expect(await home.session.ok('GET', `/sensors/${b.sensorId}/maker_b/config/basic`)).toMatchObject({
      name: 'Room 2',
    });
    const groups = await groupsOf(home);
    expect(groups.map(({ name, sensorIds }) => [name, sensorIds])).toEqual([
      ['Ward 1', []],
      ['Ward 2', [a.sensorId, b.sensorId].sort()],
    ]);
    expect(await home.load('sensors', file)).toMatchObject({ state: 'completed', created: 0, updated: 0 });
    expect(await groupsOf(home)).toEqual(groups);
  });

  test('only system admins can link sensors through an import', async () => {
    const [home, other] = [await world.furnish(), await world.furnish()];
    const foreign = await hardwareIdOf(other, other.sensorId);
    const free = nextHardwareId();
    const { sensorId } = await register(home.admin.as(undefined), PROVISIONING_KEY, free);
    const rows = [
      { hardwareId: foreign },
      { hardwareId: free },
      { hardwareId: 'no id' },
      { hardwareId: 'FFFFFFFFFFFF' },
    ];
    const refused = await home.send('sensors', rows);
    expect(placesIn(refused.body)).toEqual([1, 2, 3, 4].map((row) => [row, 'hardwareId']));
    const messages = (refused.body as { errors: { message: string }[] }).errors.map(({ message }) => message);
    expect(messages[0]).toBe(messages[3]);
    expect(placesIn((await home.send('sensors', rows, home.admin)).body).map(([row]) => row)).toEqual([1, 3, 4]);
    const job = await home.load('sensors', [{ hardwareId: free, name: 'Room 9', group: 'Ward' }], home.admin);
    expect(job).toMatchObject({ state: 'completed', created: 1, updated: 0, errors: [] });
    expect(await home.session.ok('GET', `/sensors/${sensorId}`)).toMatchObject({
      name: 'Room 9',
      customerId: home.customerId,
    });
    expect(await groupsOf(home)).toMatchObject([{ name: 'Ward', sensorIds: [sensorId] }]);
  });

  test('an import rejects invalid sensor names', async () => {
    const home = await world.furnish();
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    expect(placesIn((await home.send('sensors', [{ hardwareId, name: '12' }])).body)).toEqual([[1, 'name']]);
    const name = '012';
    expect(await home.load('sensors', [{ hardwareId, name }])).toMatchObject({ state: 'completed' });
    const basic = `/sensors/${home.sensorId}/maker_a/config/basic`;
    expect(await home.session.ok('GET', basic)).toMatchObject({ name });
  });

  test('an import reports duplicate sensors, ambiguous groups and forbidden names', async () => {
    const home = await world.furnish();
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    for (const _ of [1, 2]) await home.session.ok('POST', '/sensor-groups', { name: 'Twins', sensorIds: [] });
    const rows = [
      { hardwareId, group: 'Twins' },
      { hardwareId, name: 'x'.repeat(65) },
      { hardwareId },
      { name: 'New' },
    ];
    expect(placesIn((await home.send('sensors', rows)).body)).toEqual([
      [1, 'group'],
      [2, 'name'],
      [3, 'hardwareId'],
      [4, 'hardwareId'],
    ]);
    const { client } = await home.hire('Groups', {}, { permissions: ['manage_sensors'] });
    expect(placesIn((await home.send('sensors', [{ hardwareId, name: 'New' }], client)).body)).toEqual([[1, 'name']]);
    expect(await home.load('sensors', [{ hardwareId, group: 'New' }], client)).toMatchObject({ updated: 1 });
  });
});

describe('rule imports', () => {
  const columns =
    'name,title,message,situation,sensor,group,days,from,to,isEnabled,rateLimitSeconds,recipients,escalation,repeatSeconds';

  test('an import creates new rules and updates existing ones', async () => {
    const home = await world.furnish();
    const anna = await home.hire('Anna', { email: 'anna@example.com', sms: '+491701234567' });
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    const group = await home.session.ok<{ id: number }>('POST', '/sensor-groups', { name: 'Ward', sensorIds: [] });
    const bot = await home.session.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
    const hook = { name: 'Call: ward', format: 'full', isCustomerHook: false, botId: bot.id, url: null };
    const webhook = await home.session.ok<{ id: string }>('POST', '/webhooks', hook);
    const steps = `60 onDuty:sms; ${anna.username}:sms | 180 webhook:Call: ward`;
    const file = [
      columns,
      `Night,Fall: {sensor},Go there,fall_detected,${hardwareId},,1 2 3,21:00,06:00,true,0,${anna.username}:email;onDuty:sms,${steps},300`,
      'Ward,Fall,Go,fall_detected,,Ward,,,,false,,onDuty:sms,,',
    ].join('\n');
    expect(await home.dryRun('rules', file)).toEqual({ rows: 2, created: 2, updated: 0 });
    expect(await home.load('rules', file)).toMatchObject({ state: 'completed', created: 2, updated: 0, errors: [] });
    const rules = await rulesOf(home);
    expect(rules).toMatchObject([
      {
        name: 'Night',
        title: 'Fall: {sensor}',
        sensorId: home.sensorId,
        sensorGroupId: null,
        schedule: { days: [1, 2, 3], from: '21:00', to: '06:00', timeZone: 'UTC' },
        isEnabled: true,
        rateLimitSeconds: 0,
        recipients: [
          { userId: anna.id, by: 'email' },
          { onDuty: true, by: 'sms' },
        ],
        escalation: [
          { afterSeconds: 60, recipients: [{ onDuty: true }, { userId: anna.id, by: 'sms' }] },
          { afterSeconds: 180, recipients: [{ botId: bot.id, webhookId: webhook.id }] },
        ],
        repeatSeconds: 300,
      },
      { name: 'Ward', sensorId: null, sensorGroupId: group.id, schedule: null, isEnabled: false, rateLimitSeconds: 60 },
    ]);
    expect(await home.load('rules', file)).toMatchObject({ created: 0, updated: 0 });
    expect(await rulesOf(home)).toEqual(rules);
    const changed = await home.load('rules', [{ name: 'Night', to: '07:00', sensor: '', isEnabled: false }]);
    expect(changed).toMatchObject({ state: 'completed', created: 0, updated: 1 });
    const [night] = await rulesOf(home);
    expect(night).toMatchObject({
      ...rules[0],
      isEnabled: false,
      schedule: { to: '07:00' },
      updateDate: night?.updateDate,
    });
  });

  test('an import reports the cell of each invalid value', async () => {
    const home = await world.furnish();
    const anna = await home.hire('Anna', { email: 'anna@example.com' });
    const row = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients: 'onDuty:sms' };
    const rows = [
      row,
      { ...row, name: 'n', title: 'again' },
      { ...row, name: 'a', sensor: 'FFFFFFFFFFFF' },
      { ...row, name: 'b', group: 'No such ward' },
      { ...row, name: 'c', recipients: 'nobody:email' },
      { ...row, name: 'd', recipients: `${anna.username}:sms` },
      { ...row, name: 'e', escalation: 'soon onDuty:sms' },
      { ...row, name: 'f', situation: 'rain', rateLimitSeconds: 'often' },
      { ...row, name: 'g', days: '1 8', from: '21:00', to: '06:00' },
      { name: 'h' },
    ];
    expect(placesIn((await home.send('rules', rows)).body)).toEqual([
      [2, 'name'],
      [3, 'sensor'],
      [4, 'group'],
      [5, 'recipients'],
      [6, 'recipients'],
      [7, 'escalation'],
      [8, 'situation'],
      [8, 'rateLimitSeconds'],
      [9, 'days'],
      [10, 'title'],
      [10, 'message'],
      [10, 'situation'],
      [10, 'recipients'],
    ]);
    expect(await rulesOf(home)).toEqual([]);
  });

  test('an import cannot exceed the rule quota', async () => {
    const home = await world.furnish();
    const rows = Array.from({ length: 51 }, (_, at) => ({
      name: `rule ${at}`,
      title: 't',
      message: 'm',
      situation: 'fall_detected',
      recipients: 'onDuty:sms',
    }));
    expect((await home.send('rules', rows)).status).toBe(409);
    expect(await home.load('rules', rows.slice(1))).toMatchObject({ state: 'completed', created: 50 });
  });
});

test('an import file must have 1 to 1,000 rows of valid CSV in UTF-8', async () => {
  const home = await world.furnish();
  const status = async (body: string, headers = { 'content-type': 'text/csv' }) => {
    const path = `/customers/${home.customerId}/imports?kind=sensors`;
    return (await home.session.call('POST', path, body, headers)).status;
  };
  const lines = (count: number) => `hardwareId\n${'FFFFFFFFFFFF\n'.repeat(count)}`;
  expect(await status(lines(0))).toBe(400);
  expect((await home.send('sensors', lines(1_001))).body).toMatchObject({ errors: [{ path: '' }] });
  expect(placesIn((await home.send('sensors', lines(1_000))).body)).toHaveLength(1_000);
  expect((await home.send('sensors', 'hardwareId,name\n"x,y\n')).body).toMatchObject({
    errors: [{ path: '', message: 'is not valid CSV in line 2' }],
  });
  expect(await status(lines(1), { 'content-type': 'text/csv; charset=latin1' })).toBe(415);
  expect(await status('x'.repeat(256 * 1_024 + 1))).toBe(413);
  expect((await home.send('colors', lines(1))).status).toBe(400);
});

test('an import rejects a row with more cells than columns', async () => {
  const home = await world.furnish();
  const hardwareId = await hardwareIdOf(home, home.sensorId);
  const file = (header: string, line: string) => home.send('sensors', `${header}\n${hardwareId},${line}\n`);
  expect((await file('hardwareId,name', 'Room 1, left')).body).toMatchObject({ errors: [{ path: '' }] });
  expect(await home.dryRun('sensors', `hardwareId,name,group\n${hardwareId}\n`)).toMatchObject({
    rows: 1,
    updated: 0,
  });
});

test('imports 200 sensors, 40 users and 20 rules in under a minute', async () => {
  const home = await world.furnish();
  const sensors: string[] = [];
  for (let at = 0; at < 200; at++) {
    const hardwareId = nextHardwareId();
    await register(home.admin.as(undefined), PROVISIONING_KEY, hardwareId);
    sensors.push(hardwareId);
  }
  const wards = sensors.map((hardwareId, at) => ({ hardwareId, name: `Room ${at}`, group: `Ward ${at % 8}` }));
  const people = Array.from({ length: 40 }, (_, at) => ({
    username: `home-${home.customerId}-${at}`,
    firstName: 'A',
    lastName: `${at}`,
    email: `u${at}@example.com`,
  }));
  const rules = Array.from({ length: 20 }, (_, at) => ({
    name: `Rule ${at}`,
    title: 't',
    message: 'm',
    situation: 'fall_detected',
    group: `Ward ${at % 8}`,
    recipients: 'onDuty:sms',
  }));
  const files = [
    ['sensors', wards, 200],
    ['users', people, 40],
    ['rules', rules, 20],
  ] as const;
  for (const [kind, rows, created] of files)
    expect(await home.load(kind, rows, home.admin)).toMatchObject({ state: 'completed', created, errors: [] });
  for (const [kind, rows] of files)
    expect(await home.load(kind, rows, home.admin)).toMatchObject({ state: 'completed', created: 0, updated: 0 });
  const [page] = await home.session.ok<{ total: number }[]>('GET', '/sensors');
  expect(page?.total).toBe(201);
});

describe('an import waiting for another import', () => {
  /**
   * Begins an import while another import for the customer is running. `finish` ends the other import and returns this
   * one once it has ended.
   */
  const beginSecond = async (home: Home, rows: readonly object[], client = home.session) => {
    const { imports } = store(world.table);
    const other = { customerId: home.customerId, id: 'other' };
    expect(await imports.takeTurn(other, world.now(), world.now() + 120_000)).toBe(true);
    const { body } = await home.send('sensors', rows, client);
    const path = `/customers/${home.customerId}/imports/${(body as { id: string }).id}`;
    await world.idle();
    expect(await home.session.ok('GET', path)).toMatchObject({ state: 'running' });
    return {
      other,
      finish: async () => {
        await imports.end(other, 'completed', world.now());
        await world.pass(11_000);
        return home.session.ok<Imported>('GET', path);
      },
    };
  };

  test('an import uses a group that was created while it waited', async () => {
    const home = await world.furnish();
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    const { finish } = await beginSecond(home, [{ hardwareId, group: 'Ward' }]);
    await home.session.ok('POST', '/sensor-groups', { name: 'Ward', sensorIds: [] });
    expect(await finish()).toMatchObject({ state: 'completed', errors: [] });
    expect(await groupsOf(home)).toMatchObject([{ name: 'Ward', sensorIds: [home.sensorId] }]);
  });

  test.each([
    [
      'lost the permission',
      (home: Home, id: number) => home.admin.ok('PUT', `/users/${id}/access`, { ...access, permissions: [] }),
    ],
    [
      'may no longer log in',
      (home: Home, id: number) => home.admin.ok('PUT', `/users/${id}/access`, { ...access, canLogin: false }),
    ],
    ['was deleted', (home: Home, id: number) => home.admin.ok('DELETE', `/users/${id}`)],
  ])('an import fails if the user %s while it waits', async (_, withdraw) => {
    const home = await world.furnish();
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    const { client, id } = await home.hire('Importer', {}, { permissions: access.permissions });
    const { finish } = await beginSecond(home, [{ hardwareId, name: 'New', group: 'Ward' }], client);
    await withdraw(home, id);
    const { state, errors } = await finish();
    expect(state).toBe('failed');
    expect(errors.map(({ row, field }) => [row, field])).toEqual(Array(3).fill([1, 'hardwareId']));
    expect(errors[0]?.message).toContain('manage_sensors');
    expect(await groupsOf(home)).toEqual([]);
    expect((await store(world.table).sensors.get(home.customerId, home.sensorId))?.name).not.toBe('New');
  });

  test('an import does not rename sensors if the user loses permission while it waits', async () => {
    const home = await world.furnish();
    const hardwareId = await hardwareIdOf(home, home.sensorId);
    const { client, id } = await home.hire('Importer', {}, { permissions: access.permissions });
    const { finish } = await beginSecond(home, [{ hardwareId, name: 'New', group: 'Ward' }], client);
    await home.admin.ok('PUT', `/users/${id}/access`, { ...access, permissions: ['manage_sensors'] });
    const { errors } = await finish();
    expect(errors).toEqual([{ row: 1, field: 'hardwareId', message: expect.stringContaining('edit_sensor_config') }]);
    expect(await groupsOf(home)).toMatchObject([{ name: 'Ward', sensorIds: [home.sensorId] }]);
  });
});
