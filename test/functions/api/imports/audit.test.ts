import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import { register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { nextHardwareId } from '#test/fixtures/home.ts';
import { createImportWorld } from '#test/fixtures/import-world.ts';

let world: Awaited<ReturnType<typeof createImportWorld>>;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.stop());

type Home = Awaited<ReturnType<(typeof world)['furnish']>>;
/** Runs an import. Returns the audit lines by operation, because all were written in the same millisecond. */
const linesOf = async (home: Home, kind: string, rows: object[], client = home.session) => {
  const { id } = await home.load(kind, rows, client);
  const [page] = await home.session.ok<{ data: AuditEntry[] }[]>(
    'GET',
    `/customers/${home.customerId}/audit?perPage=200`,
  );
  const lines = (page?.data ?? []).filter(({ requestId }) => requestId === id);
  return lines.toSorted((line, other) => (line.operation < other.operation ? -1 : 1));
};

test('the audit log shows which rule an import disabled', async () => {
  const home = await world.furnish();
  const rule = await home.rule([{ onDuty: true, by: 'sms' }]);
  const lines = await linesOf(home, 'rules', [
    { name: 'falls', isEnabled: false },
    { name: 'More', title: 't', message: 'm', situation: 'apnea', recipients: 'onDuty:sms' },
  ]);
  expect(lines).toMatchObject([
    { operation: 'createRule', object: { kind: 'rule', name: 'More' }, details: [] },
    {
      operation: 'updateRule',
      object: { kind: 'rule', id: String(rule.id), name: 'falls' },
      actor: { kind: 'user', name: expect.stringContaining('linden') },
      address: '127.0.0.1',
      changes: ['isEnabled'],
      details: [{ field: 'isEnabled', from: true, to: false }],
      refused: false,
    },
  ]);
  expect(lines[0]?.changes).toContain('recipients');
});

test('the audit log shows whose permissions an import changed', async () => {
  const home = await world.furnish();
  const anna = await home.hire('Anna', {}, { email: 'anna@example.com' });
  const lines = await linesOf(home, 'users', [
    { username: anna.username, mobileNumber: '+491701234567', permissions: 'manage_customers' },
    { username: `berta-${home.customerId}`, email: 'berta@example.com' },
  ]);
  const object = { kind: 'user', id: String(anna.id) };
  expect(lines).toMatchObject([
    { operation: 'createUser', object: { kind: 'user', name: `berta-${home.customerId}` }, details: [] },
    {
      operation: 'setUserAccess',
      object,
      changes: ['permissions'],
      details: [{ field: 'permissions', from: [], to: ['manage_customers'] }],
    },
    { operation: 'updateUser', object, changes: ['mobileNumber'], details: [] },
  ]);
});

test('the audit log shows which sensors an import linked, renamed or moved', async () => {
  const home = await world.furnish();
  const hardwareId = nextHardwareId();
  const { sensorId } = await register(home.admin.as(undefined), PROVISIONING_KEY, hardwareId);
  const lines = await linesOf(home, 'sensors', [{ hardwareId, name: 'Room 1', group: 'Ward' }], home.admin);
  const sensor = { kind: 'sensor', id: sensorId };
  expect(lines).toMatchObject([
    { operation: 'createSensorGroup', object: { kind: 'sensor_group', name: 'Ward' } },
    { operation: 'linkSensor', object: sensor },
    { operation: 'putMakerABasicConfig', object: sensor, changes: ['name'], details: [] },
    { operation: 'updateSensorGroup', details: [{ field: 'sensorIds', from: [], to: [sensorId] }] },
  ]);
  const again = await linesOf(home, 'sensors', [{ hardwareId, name: 'Room 1', group: 'Ward' }]);
  expect(again).toEqual([]);
});
