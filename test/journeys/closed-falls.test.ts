import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { store } from '#shared/store/store.ts';
import { createCrash } from '../fixtures/crash.ts';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { b } from '../fixtures/messages.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
const crash = createCrash();
type Sent = { event: { type: string; action: string }; customer: { id: number } };
let sent: Sent[] = [];
beforeAll(async () => {
  world = await createPeopleWorld(crash.options);
  receiver = await startReceiver((request, response) => {
    sent.push(JSON.parse(request.body.toString()));
    response.writeHead(200).end();
  });
});
afterAll(() => Promise.all([world.stop(), receiver.stop()]));
beforeEach(() => {
  sent = [];
  world.sentMessages.length = 0;
});

type EventView = { uuid: string; type: string; action: string };
/** A home whose nurse Ben gets an SMS for each fall, and another a minute later unless someone acknowledges it. */
const furnish = async (more: object = {}) => {
  const home = await world.furnish();
  const ben = await home.hire('Ben', { sms: `+49171${home.customerId}` });
  const to = { userId: ben.id, by: 'sms' };
  await home.rule([to], { escalation: [{ afterSeconds: 60, recipients: [to] }], ...more });
  const hook = { botId: null, isCustomerHook: true, customerId: home.customerId, format: 'full', authMethod: 'none' };
  await home.client.ok('POST', '/webhooks', { ...hook, name: 'log', url: receiver.url });
  const list = async <T>(path: string): Promise<T[]> =>
    (await home.client.ok<{ data: T[] }[]>('GET', path))[0]?.data ?? [];
  const pathOf = async (action: string, sensorId = home.sensorId): Promise<string> => {
    const found = (await list<EventView>(`/sensors/${sensorId}/events`)).find((event) => event.action === action);
    return `/sensors/${sensorId}/falls/${found?.uuid ?? expect.unreachable(action)}`;
  };
  return {
    ...home,
    ben,
    pathOf,
    smsToBen: () => world.sentMessages.filter(({ to }) => to === `+49171${home.customerId}`).length,
    fallActions: () =>
      sent
        .filter(({ event, customer }) => event.type === 'fall' && customer.id === home.customerId)
        .map(({ event }) => event.action),
    report: async (start: number, ...reports: string[]) => {
      for (const report of reports) await home.report(fallMessage(report, start));
    },
    openFalls: () => list<{ sensorId: string }>(`/customers/${home.customerId}/open-falls`),
    /** Closes the fall, identified by the newest event with this action. */
    close: async (action: string, body: object, client = home.client) => {
      const made = await client.ok('PUT', `${await pathOf(action)}/closure`, body);
      await world.idle();
      return made;
    },
  };
};
type Home = Awaited<ReturnType<typeof furnish>>;
const by = ({ userId }: Home) => ({ userId, name: 'A B', date: expect.any(Number) });

describe('closing a fall', () => {
  test('closing a fall ends the escalations and acknowledges the fall', async () => {
    const home = await furnish();
    await home.report(world.now(), 'fall_detected', 'calling');
    expect([home.smsToBen(), await home.openFalls()]).toMatchObject([1, [{ sensorId: home.sensorId }]]);
    const closure = { outcome: 'helped', note: 'Slipped on the rug', ...by(home) };
    const made = await home.close('fall_suspected', { outcome: 'helped', note: 'Slipped on the rug' });
    expect(made).toMatchObject({ acknowledgement: by(home), closure });
    expect(await home.openFalls()).toEqual([]);
    expect(await home.hits()).toMatchObject([{ acknowledgement: by(home), closure }]);
    await world.pass(10 * MINUTE);
    expect(home.smsToBen()).toBe(1);
    expect(home.fallActions()).toEqual(['fall_suspected', 'fall_detected', 'finished']);
    expect(sent.filter(({ event }) => event.type === 'alarm')).toMatchObject([{ event: { action: 'acknowledged' } }]);
    const [audit] = await home.client.ok<{ data: object[] }[]>('GET', `/customers/${home.customerId}/audit`);
    const object = expect.objectContaining({ kind: 'sensor', id: home.sensorId });
    expect(audit?.data).toContainEqual(
      expect.objectContaining({ operation: 'closeFall', object, changes: ['outcome', 'note'] }),
    );
  });

  test('anyone can correct the outcome of a closed fall', async () => {
    const home = await furnish();
    await home.report(world.now(), 'calling');
    await home.client.ok('PUT', `${await home.pathOf('fall_detected')}/acknowledgement`, { note: 'On my way' });
    const closed = { acknowledgement: { ...by(home), note: 'On my way' }, closure: { userId: home.ben.id } };
    expect(await home.close('fall_detected', { outcome: 'got_up', note: 'Fine' }, home.ben.client)).toMatchObject(
      closed,
    );
    const corrected = { ...closed, closure: { ...closed.closure, outcome: 'helped', note: 'Fine' } };
    expect(await home.close('fall_detected', { outcome: 'helped' })).toMatchObject(corrected);
    expect(await home.hits()).toMatchObject([corrected]);
    await home.close('fall_detected', { outcome: 'helped', note: '' });
    const [hit] = await home.hits();
    expect(hit?.closure).not.toHaveProperty('note');
    expect(home.fallActions()).toEqual(['fall_detected', 'finished']);
  });

  test('withdrawing the acknowledgement never reopens a closed fall', async () => {
    const home = await furnish();
    await home.report(world.now(), 'calling');
    await home.close('fall_detected', { outcome: 'false_alarm' });
    const [hit] = await home.hits();
    const paths = [await home.pathOf('fall_detected'), `/customers/${home.customerId}/rule-hits/${hit?.id}`];
    for (const path of paths) {
      const refused = await home.client.call('DELETE', `${path}/acknowledgement`);
      expect([refused.status, refused.body]).toMatchObject([409, { message: /^The fall is closed/ }]);
    }
    await world.pass(5 * MINUTE);
    expect(home.smsToBen()).toBe(1);
  });

  test('closing a suspected fall prevents the alarm', async () => {
    const home = await furnish();
    const start = world.now();
    await home.report(start, 'fall_detected');
    await home.close('fall_suspected', { outcome: 'false_alarm' });
    await home.report(start, 'fall_confirmed', 'calling');
    await world.pass(5 * MINUTE);
    expect([home.smsToBen(), await home.openFalls()]).toEqual([0, []]);
    expect(home.fallActions()).toEqual(['fall_suspected', 'canceled']);
  });

  test('a fall that has already timed out can be closed', async () => {
    const home = await furnish();
    await home.report(world.now(), 'calling');
    for (let minute = 0; minute < 10; minute++) await world.pass(MINUTE);
    expect(await home.openFalls()).toHaveLength(1);
    await home.close('fall_detected', { outcome: 'helped' });
    expect(await home.openFalls()).toEqual([]);
    expect(home.fallActions()).toEqual(['fall_detected', 'finished']);
  });

  test('closing a fall with an unknown outcome is rejected', async () => {
    const home = await furnish();
    const stranger = await furnish();
    await home.report(world.now(), 'calling');
    const path = `${await home.pathOf('fall_detected')}/closure`;
    const answers = [{ outcome: 'unknown' }, {}, { outcome: 'helped', note: 'x'.repeat(257) }].map((body) =>
      home.client.call('PUT', path, body),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400]);
    expect((await stranger.client.call('PUT', path, { outcome: 'helped' })).status).toBe(404);
  });
});

describe('a closed fall', () => {
  test.each([
    ['every state again', ['fall_detected', 'fall_confirmed', 'calling']],
    ['the alarm again', ['calling', 'on_call']],
    ['that the fall has finished', ['finished', 'finished']],
    ['that the fall was canceled', ['canceled', 'fall_exit']],
  ])('a closed fall stays closed when the device reports %s', async (_, reports) => {
    const home = await furnish();
    const start = world.now();
    await home.report(start, 'fall_detected', 'calling');
    await home.close('fall_detected', { outcome: 'helped' });
    for (const report of reports) {
      await world.pass(MINUTE);
      await home.report(start, report);
    }
    await world.pass(10 * MINUTE);
    expect([home.smsToBen(), await home.openFalls(), (await home.hits()).length]).toEqual([1, [], 1]);
    expect(home.fallActions()).toEqual(['fall_suspected', 'fall_detected', 'finished']);
  });

  test('a closed fall does not hide the next fall', async () => {
    const home = await furnish();
    await home.report(world.now(), 'calling');
    await home.close('fall_detected', { outcome: 'helped' });
    await world.pass(MINUTE);
    await home.report(world.now(), 'calling');
    expect([home.smsToBen(), (await home.openFalls()).length]).toEqual([2, 1]);
  });

  test('a closed maker B fall stays closed until another pose is reported', async () => {
    const home = await furnish();
    const { device, sensorId } = await linkSensor(home.client, 'maker_b');
    const pose = async (number: number) => {
      await device.ok('POST', `/devices/${sensorId}/messages`, { ...b.pose(1, number), timestamp: world.now() });
      await world.idle();
      await world.pass(2 * MINUTE);
    };
    const close = async () => {
      await home.client.ok('PUT', `${await home.pathOf('fall_detected', sensorId)}/closure`, { outcome: 'helped' });
      await world.idle();
    };
    await pose(5);
    await close();
    for (const number of [5, 2, 5, 5]) await pose(number);
    expect([home.fallActions(), await home.openFalls()]).toEqual([['fall_detected', 'finished'], []]);
    await world.pass(4 * MINUTE);
    await pose(5);
    expect(home.fallActions()).toEqual(['fall_detected', 'finished', 'fall_detected']);
    await close();
    for (const number of [1, 5]) await pose(number);
    expect(home.fallActions().slice(3)).toEqual(['finished', 'fall_detected']);
    expect(await home.openFalls()).toHaveLength(1);
  });
});

test.each([
  ['the request ends before anything else is updated', () => {}],
  ['the worker dies after the decision', () => crash.at('process.decided')],
  ['the worker dies before it records that the hits were updated', () => crash.at('process.settled')],
])('closing a fall takes effect even if %s', async (_, prepare) => {
  const home = await furnish();
  await home.report(world.now(), 'calling');
  const { falls } = store(world.table);
  const uuid = (await home.pathOf('fall_detected')).split('/').at(-1) ?? '';
  const fall = await falls.ofEvent(home.customerId, home.sensorId, uuid, 0);
  if (!fall) return expect.unreachable();
  prepare();
  await falls.close(fall, { outcome: 'helped' }, { userId: home.userId, name: 'A B', date: world.now() });
  await world.pass(2 * MINUTE);
  await world.pass(2 * MINUTE);
  expect(crash.isOver()).toBe(true);
  expect([await home.openFalls(), await home.hits()]).toMatchObject([[], [{ closure: { outcome: 'helped' } }]]);
  expect(home.fallActions()).toEqual(['fall_detected', 'finished']);
});
