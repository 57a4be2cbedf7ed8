import { afterEach, expect, test } from 'vitest';
import { erasureRules } from '#shared/store/subjects/erasure-rules.ts';
import { register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { type Erasing, startErasureWorld } from '../fixtures/erasure-world.ts';
import { nextHardwareId } from '../fixtures/home.ts';

let world: Erasing | null = null;
const begin = async () => {
  world = await startErasureWorld();
  const home = await world.live();
  return { ...world, home, asAdmin: { customerId: home.customerId, client: home.admin } };
};
afterEach(async () => world?.stop());

/** The audit log keeps user ids, but not user names. */
const outsideAudit = (rows: readonly string[]) => rows.filter((row) => !row.includes('#AUDIT'));
const kindsOf = ({ counts }: { counts: Record<string, number> }) => Object.keys(counts).sort();

test('nothing in the data file names an erased user', async () => {
  const { home, asAdmin, erase, whereIs } = await begin();
  const { wanda, hitId } = home;
  const job = await erase(asAdmin, { kind: 'user', id: wanda.id }, ADMIN_PASSWORD);
  expect(job).toMatchObject({ state: 'completed', counts: { user: 1, ruleHit: 2, auditLine: 7, personDelivery: 3 } });
  expect((await wanda.client.call('GET', '/users/me')).status).toBe(401);
  const [hit] = await home.hits();
  expect(hit).toMatchObject({ id: hitId, acknowledgement: { userId: null, name: 'erased' } });
  expect(hit?.ruleMessages.map(({ accountId, extra }) => [accountId > 0, extra.display_name])).toEqual([
    [true, 'Nurse call'],
    ...Array(3).fill([false, 'erased']),
  ]);
  const [page] = await home.client.ok<{ data: { name: string; recipients: object[] }[] }[]>('GET', '/rules');
  expect(page?.data.find(({ name }) => name === 'falls')).toMatchObject({
    recipients: [{ webhookId: home.webhookId }],
    // The steps without another recipient are gone.
    escalation: [{ recipients: [{ onDuty: true, by: 'email' }] }],
  });
  expect(outsideAudit(await whereIs([String(wanda.id)]))).toEqual([]);
  expect(await whereIs(['Wanda', '4915551234567'])).toEqual([]);
});

test('nothing names a user who was deleted before the erasure', async () => {
  const { home, asAdmin, erase, whereIs } = await begin();
  const { wanda } = home;
  await home.client.ok('DELETE', `/users/${wanda.id}`);
  const job = await erase(asAdmin, { kind: 'user', id: wanda.id }, ADMIN_PASSWORD);
  expect(job).toMatchObject({ state: 'completed' });
  expect(outsideAudit(await whereIs([String(wanda.id)]))).toEqual([]);
  expect(await whereIs(['Wanda', '4915551234567'])).toEqual([]);
});

test('nothing in the data file names an erased sensor or the person it watched over', async () => {
  const { home, asAdmin, erase, whereIs } = await begin();
  const { sensorId, customerId } = home;
  const job = await erase(asAdmin, { kind: 'sensor', id: sensorId }, ADMIN_PASSWORD);
  expect(job).toMatchObject({ state: 'completed', counts: { sensor: 1 } });
  expect(kindsOf(job)).toEqual([
    'attempt',
    'auditLine',
    'delivery',
    'event',
    'fallAnswer',
    'feedback',
    'feedbackOfHit',
    'floorPlan',
    'lateChange',
    'message',
    'notice',
    'personDelivery',
    'ruleHit',
    'sensor',
    'unnotified',
    'watch',
  ]);
  expect(await home.hits()).toEqual([]);
  expect((await home.client.call('GET', `/sensors/${sensorId}`)).status).toBe(404);
  const customer = await home.client.ok('GET', `/customers/${customerId}`);
  expect(customer).toMatchObject({ id: customerId });
  expect(await whereIs(['Quillfeather sat', 'Room of Quillfeather', 'Bed of', 'Quillfeather falls', sensorId])).toEqual(
    [],
  );
});

test('a sensor can be linked again only after it has been erased', async () => {
  const { home, asAdmin, erase } = await begin();
  const { client, admin, customerId } = home;
  const hardwareId = nextHardwareId();
  const registerAgain = () => register(client, PROVISIONING_KEY, hardwareId);
  const { sensorId, pairingCode } = await registerAgain();
  const link = (code: string) => client.call('POST', '/sensors/link', { manufacturer: 'maker_a', code });
  expect((await link(pairingCode)).status).toBe(200);
  const body = { subject: { kind: 'sensor', id: sensorId }, reason: 'asked for it', password: ADMIN_PASSWORD };
  await admin.ok('POST', `/customers/${customerId}/erasures`, body);
  await world?.idle();
  const next = await registerAgain();
  expect(next.sensorId).toBe(sensorId);
  const rejected = await link(next.pairingCode);
  const moved = await admin.call('PUT', `/sensors/${sensorId}/customer`, { customerId });
  for (const { status, headers } of [rejected, moved])
    expect([status, headers.get('x-error-code')]).toEqual([409, 'sensor_being_erased']);
  for (let minute = 0; minute < 40; minute += 1) await world?.pass(60_000);
  expect((await link((await registerAgain()).pairingCode)).status).toBe(200);
  await erase(asAdmin, { kind: 'sensor', id: home.sensorId }, ADMIN_PASSWORD);
  expect((await client.call('GET', `/sensors/${sensorId}`)).status).toBe(200);
});

test('nothing is left of an erased customer in the table, queues and data file', async () => {
  const { home, asAdmin, erase, whereIs } = await begin();
  const job = await erase(asAdmin, { kind: 'customer', id: home.customerId }, ADMIN_PASSWORD);
  expect(job).toMatchObject({ state: 'completed', counts: { customer: 1 }, actor: { kind: 'user', name: 'admin' } });
  const entries = await home.admin.ok<{ data: object[] }[]>('GET', '/customers/0/audit?operation=createErasure');
  const object = { kind: 'customer', id: String(home.customerId) };
  expect(entries[0]?.data).toMatchObject([{ actor: { name: 'admin' }, object }]);
  expect((await home.client.call('GET', '/users/me')).status).toBe(401);
  expect((await home.admin.call('GET', `/customers/${home.customerId}`)).status).toBe(404);
  const needles = ['Quillfeather', 'Wanda', 'Viktor', 'linden', home.sensorId, home.webhookId, String(home.wanda.id)];
  expect(await whereIs([...needles, `C#${home.customerId}#S`, `"customerId":${home.customerId},`])).toEqual([]);
});
test('an erasure certificate counts every kind of item that a customer can have', async () => {
  const { home, asAdmin, erase } = await begin();
  const job = await erase(asAdmin, { kind: 'customer', id: home.customerId }, ADMIN_PASSWORD);
  const kinds = Object.entries(erasureRules).filter(([, of]) => of.customer);
  // Linking uses up the code.
  const uncounted = ['pairingCode'];
  expect(kindsOf(job)).toEqual(
    kinds
      .map(([kind]) => kind)
      .filter((kind) => !uncounted.includes(kind))
      .sort(),
  );
  expect(job.remains.map(({ what }) => what)).toEqual(['backups', 'logs', 'quarantine', 'list_of_erasures']);
});

test.each(['knownAddress', 'auditLine', 'personDelivery'] as const)(
  'the data file search detects an erasure that deliberately skips %s',
  async (kind) => {
    const all = erasureRules as Record<string, object>;
    const rules = all[kind];
    try {
      all[kind] = {};
      const { home, asAdmin, erase, whereIs } = await begin();
      await erase(asAdmin, { kind: 'customer', id: home.customerId }, ADMIN_PASSWORD);
      expect(await whereIs(['Viktor', 'ADDRESS#'])).not.toEqual([]);
    } finally {
      if (rules) all[kind] = rules;
    }
  },
);
