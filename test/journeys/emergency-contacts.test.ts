import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { store } from '#shared/store/store.ts';
import { createAlarm, linkSensor } from '../fixtures/home.ts';
import { b } from '../fixtures/messages.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const SECOND = 1_000;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
let events: { event: { uuid: string; action: string }; sensor: { id: string } }[] = [];
beforeAll(async () => {
  world = await createPeopleWorld();
  receiver = await startReceiver((request, response) => {
    events.push(JSON.parse(request.body.toString()));
    response.writeHead(503).end();
  });
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});
beforeEach(() => {
  world.sentMessages.length = 0;
  events = [];
});

type Home = Awaited<ReturnType<typeof world.furnish>>;
const openAlarms = ({ customerId }: Home) => store(world.table).unnotified.list(customerId);

describe('emergency contacts', () => {
  const withContacts = async (hook: object) => {
    const home = await world.furnish();
    const anna = await home.hire('Anna', { sms: '+491701234567' });
    const path = `/customers/${home.customerId}/emergency-contacts`;
    const contacts = [{ userId: anna.id, by: 'sms' }];
    expect(await home.client.ok('GET', path)).toEqual([]);
    expect(await home.client.ok('PUT', path, contacts)).toEqual(contacts);
    expect(await home.client.ok('GET', path)).toEqual(contacts);
    await createAlarm(home.client, receiver.url, 'fall_detected', hook);
    return { ...home, anna, path };
  };
  const texts = () => world.sentMessages.filter(({ by }) => by === 'sms').map(({ text }) => text);

  test('emergency contacts get a link that acknowledges the alarm', async () => {
    const home = await withContacts({ isEnabled: false });
    await home.fall();
    await world.pass(122 * SECOND);
    const [text = '', ...more] = texts();
    expect(more).toEqual([]);
    expect(text).toMatch(/^Fall detected: Sensor \w+\nNobody has been notified of this alarm\./);
    expect(await openAlarms(home)).toEqual([]);
    const [hit] = await home.hits();
    expect(hit?.notifiedDate).toBeGreaterThan((hit?.createDate ?? 0) + 119 * SECOND);
    const url = /http\S+\/acknowledge\/\S+/.exec(text)?.[0] ?? 'none';
    expect(
      (await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })).status,
    ).toBe(200);
    expect((await home.hits())[0]?.acknowledgement).toMatchObject({ userId: home.anna.id });
  });

  test('emergency contacts can acknowledge a fall and hand it back even without a rule', async () => {
    const home = await world.furnish();
    const anna = await home.hire('Anna', { sms: '+491701234567' });
    await home.client.ok('PUT', `/customers/${home.customerId}/emergency-contacts`, [{ userId: anna.id, by: 'sms' }]);
    await home.client.ok('POST', '/webhooks', { name: 'all', url: receiver.url, format: 'full', isCustomerHook: true });
    await home.fall();
    await world.pass(122 * SECOND);
    const [text = '', ...more] = texts();
    expect([more, await home.hits()]).toEqual([[], []]);
    const url = /http\S+\/acknowledge\/\S+/.exec(text)?.[0] ?? 'none';
    const call = async (path: string, method = 'POST') => {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: new URL(url).origin };
      const response = await fetch(url + path, { method, ...(method === 'POST' && { headers: form, body: '' }) });
      return { status: response.status, text: await response.text() };
    };
    const page = await call('', 'GET');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Fall detected');
    type OpenFalls = { data: { falls: { acknowledgement: object | null }[] }[] };
    const acknowledgements = async () => {
      await world.pass(SECOND);
      const [page] = await home.client.ok<OpenFalls[]>('GET', `/customers/${home.customerId}/open-falls`);
      return page?.data.flatMap(({ falls }) => falls.map(({ acknowledgement }) => acknowledgement)) ?? [];
    };
    expect(await acknowledgements()).toEqual([null]);
    // The signature is not valid for another user, fall or time.
    const changed = [
      url.replace(/\/f\d+-\d+/, (part) => `${part}1`),
      `${url.slice(0, -1)}x`,
      url.replace(/-(\d{10})-/, '-9$1-'),
    ];
    for (const other of changed)
      expect(
        (await fetch(other, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })).status,
      ).toBe(404);
    expect((await call('/page')).status).toBe(200);
    const [acknowledgement] = await acknowledgements();
    expect(acknowledgement).toMatchObject({ userId: anna.id });
    expect(await openAlarms(home)).toEqual([]);
    const { date } = acknowledgement as { date: number };
    expect((await call(`/withdrawal/${date}`)).status).toBe(200);
    expect(await acknowledgements()).toEqual([null]);
    expect(await openAlarms(home)).toHaveLength(1);
    await home.client.ok('DELETE', `/users/${anna.id}`);
    expect((await call('/page')).status).toBe(404);
  });

  test('emergency contacts can acknowledge other alarms and hand them back even without a rule', async () => {
    const home = await world.furnish();
    const anna = await home.hire('Anna', { sms: '+491701234567' });
    await home.client.ok('PUT', `/customers/${home.customerId}/emergency-contacts`, [{ userId: anna.id, by: 'sms' }]);
    await home.client.ok('POST', '/webhooks', { name: 'all', url: receiver.url, format: 'full', isCustomerHook: true });
    const { device, sensorId } = await linkSensor(home.client, 'maker_b');
    const message = { ...b.vital(13, 0, 60), timestamp: world.now() };
    expect((await device.call('POST', `/devices/${sensorId}/messages`, message)).status).toBe(202);
    await world.idle();
    await world.pass(122 * SECOND);
    const url = /http\S+\/acknowledge\/\S+/.exec(texts()[0] ?? '')?.[0] ?? 'none';
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: new URL(url).origin };
    const send = async (path: string) => (await fetch(url + path, { method: 'POST', headers: form, body: '' })).status;
    type Row = { uuid: string; state: string; hitIds: number[]; acknowledgement: { userId: number; date: number } };
    const row = async (): Promise<Row | undefined> => {
      await world.pass(SECOND);
      return (await home.client.ok<[{ data: Row[] }]>('GET', `/customers/${home.customerId}/alarms`))[0].data[0];
    };
    expect(await (await fetch(url)).text()).toContain('No breathing detected');
    const { uuid, ...open } = (await row()) ?? { uuid: '' };
    expect(open).toMatchObject({ situation: 'apnea', state: 'open', hitIds: [], acknowledgement: null });
    expect(await openAlarms(home)).toHaveLength(1);
    // Only falls can be closed.
    const closure = `/sensors/${sensorId}/falls/${uuid}/closure`;
    expect((await home.client.call('PUT', closure, { outcome: 'helped' })).status).toBe(404);

    expect(await send('/page')).toBe(200);
    const answered = await row();
    expect(answered).toMatchObject({ state: 'acknowledged', acknowledgement: { userId: anna.id } });
    expect(await openAlarms(home)).toEqual([]);
    const ofSensor = events.filter(({ event, sensor }) => sensor.id === sensorId && event.action === 'acknowledged');
    expect(new Set(ofSensor.map(({ event }) => event.uuid)).size).toBe(1);

    expect(await send(`/withdrawal/${answered?.acknowledgement.date}`)).toBe(200);
    expect(await row()).toMatchObject({ state: 'open', acknowledgement: null });
    expect(await openAlarms(home)).toHaveLength(1);
  });

  test('emergency contacts are not notified if another alarm for the event reached someone', async () => {
    const home = await withContacts({ isEnabled: false });
    const ben = await home.hire('Ben', { telegram: '4711' });
    await home.rule([{ userId: ben.id, by: 'telegram' }]);
    await home.fall();
    await world.pass(122 * SECOND);
    expect([texts(), (await openAlarms(home)).length]).toEqual([[], 1]);
  });

  test.each([
    ['a channel that is not verified', (userId: number) => [{ userId, by: 'telegram' }], '0.by'],
    ['an unknown user', () => [{ userId: 999_999, by: 'sms' }], '0.userId'],
    ['more than five', (userId: number) => Array(6).fill({ userId, by: 'sms' }), ''],
  ])('emergency contacts cannot be set to %s', async (_, contactsOf, path) => {
    const home = await withContacts({});
    const { status: code, body } = await home.client.call('PUT', home.path, contactsOf(home.anna.id));
    expect([code, body]).toMatchObject([400, { errors: [{ path }] }]);
  });
});
