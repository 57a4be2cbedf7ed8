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
type Sent = { event: { type: string; action: string }; acknowledgement: { ruleHitId: number | null } | null };
let sent: Sent[] = [];
let status = 200;
beforeAll(async () => {
  world = await createPeopleWorld(crash.options);
  receiver = await startReceiver((request, response) => {
    sent.push(JSON.parse(request.body.toString()));
    response.writeHead(status).end();
  });
});
afterAll(() => Promise.all([world.stop(), receiver.stop()]));
beforeEach(() => {
  sent = [];
  status = 200;
  world.sentMessages.length = 0;
});

type EventView = { uuid: string; type: string; action: string };
type Home = Awaited<ReturnType<typeof furnish>>;
/** A home with one rule per situation in `rules`. Each rule notifies the nurse Ben by SMS, and again after a minute. */
const furnish = async (rules: readonly ('fall_suspected' | 'fall_detected')[] = []) => {
  const home = await world.furnish();
  const ben = await home.hire('Ben', { sms: `+49170${home.customerId}` });
  const to = { userId: ben.id, by: 'sms' };
  for (const situation of rules)
    await home.rule([to], { situation, escalation: [{ afterSeconds: 60, recipients: [to] }] });
  const at = `/sensors/${home.sensorId}/falls`;
  return {
    ...home,
    ben,
    smsToBen: () => world.sentMessages.filter(({ by }) => by === 'sms').length,
    acknowledgementAt: (uuid: string) => `${at}/${uuid}/acknowledgement`,
    hitAt: (hitId: number) => `/customers/${home.customerId}/rule-hits/${hitId}/acknowledgement`,
    /** Sends the reports for a fall that began at the given time (ms). */
    report: async (start: number, ...reports: string[]) => {
      for (const report of reports) await home.report(fallMessage(report, start));
    },
    /** Returns the uuid of the newest event with an action. */
    uuidOf: async (action: string): Promise<string> => {
      const [page] = await home.client.ok<{ data: EventView[] }[]>('GET', `/sensors/${home.sensorId}/events`);
      return page?.data.find((event) => event.action === action)?.uuid ?? expect.unreachable(action);
    },
    acknowledgements: async () => (await home.hits()).map(({ acknowledgement }) => acknowledgement),
  };
};
const acknowledged = (home: Home, note?: string) => ({
  userId: home.userId,
  name: 'A B',
  date: expect.any(Number),
  ...(note !== undefined && { note }),
});
const addCustomerHook = ({ client, customerId }: Pick<Home, 'client' | 'customerId'>) => {
  const hook = { botId: null, isCustomerHook: true, customerId, format: 'full', authMethod: 'none' };
  return client.ok('POST', '/webhooks', { ...hook, name: 'log', url: receiver.url });
};

describe('acknowledging a fall', () => {
  test('acknowledging a fall works without any rule and creates one event', async () => {
    const home = await furnish();
    await addCustomerHook(home);
    await home.report(world.now(), 'fall_detected', 'calling');
    const uuid = await home.uuidOf('fall_suspected');
    const body = { note: 'On my way' };
    const made = await home.client.ok('PUT', home.acknowledgementAt(uuid), body);
    const acknowledgement = acknowledged(home, 'On my way');
    expect(made).toEqual({ sensorId: home.sensorId, uuid, acknowledgement, closure: null });
    const other = home.acknowledgementAt(await home.uuidOf('fall_detected'));
    expect(await home.client.ok('PUT', other, {})).toMatchObject({ acknowledgement: acknowledged(home, 'On my way') });
    await world.idle();
    const events = sent.filter(({ event }) => event.type === 'alarm');
    expect(events).toMatchObject([
      { event: { action: 'acknowledged' }, acknowledgement: { ruleHitId: null, name: 'A B' } },
    ]);
    const [audit] = await home.client.ok<{ data: object[] }[]>('GET', `/customers/${home.customerId}/audit`);
    const object = expect.objectContaining({ kind: 'sensor', id: home.sensorId });
    expect(audit?.data).toContainEqual(
      expect.objectContaining({ operation: 'acknowledgeFall', object, changes: ['note'] }),
    );
  });

  test('acknowledging a fall acknowledges every hit and stops the escalations', async () => {
    const home = await furnish(['fall_suspected', 'fall_detected']);
    await home.report(world.now(), 'fall_detected', 'calling');
    expect(home.smsToBen()).toBe(2);
    const uuid = await home.uuidOf('fall_suspected');
    await home.client.ok('PUT', home.acknowledgementAt(uuid), { note: 'On my way' });
    expect(await home.acknowledgements()).toEqual([acknowledged(home, 'On my way'), acknowledged(home, 'On my way')]);
    await world.pass(5 * MINUTE);
    expect(home.smsToBen()).toBe(2);
  });

  test('only the first user to acknowledge a fall can change the note', async () => {
    const home = await furnish(['fall_detected']);
    await home.report(world.now(), 'calling');
    const path = home.acknowledgementAt(await home.uuidOf('fall_detected'));
    await home.client.ok('PUT', path, { note: 'first' });
    const refused = await home.ben.client.call('PUT', path, { note: 'second' });
    expect([refused.status, refused.body]).toEqual([409, { message: 'A B is already on it', statusCode: 409 }]);
    await home.client.ok('PUT', path, { note: 'third' });
    expect(await home.acknowledgements()).toEqual([acknowledged(home, 'third')]);
    await home.client.ok('PUT', path, { note: '' });
    expect(await home.acknowledgements()).toEqual([acknowledged(home)]);
  });

  test('later hits for an acknowledged fall are acknowledged as well', async () => {
    const home = await furnish(['fall_detected']);
    const start = world.now();
    await home.report(start, 'fall_detected');
    await home.client.ok('PUT', home.acknowledgementAt(await home.uuidOf('fall_suspected')), {});
    await world.idle();
    await home.report(start, 'calling');
    expect(await home.acknowledgements()).toEqual([acknowledged(home)]);
    await world.pass(5 * MINUTE);
    expect(home.smsToBen()).toBe(1);
  });

  test('acknowledging a fall ends the alarm saying that no webhook accepted it', async () => {
    const home = await furnish();
    status = 503;
    await addCustomerHook(home);
    await home.report(world.now(), 'calling');
    await world.pass(122 * SECOND);
    const { unnotified } = store(world.table);
    expect(await unnotified.list(home.customerId)).toHaveLength(1);
    await home.client.ok('PUT', home.acknowledgementAt(await home.uuidOf('fall_detected')), {});
    expect(await unnotified.list(home.customerId)).toEqual([]);
  });

  test('acknowledging a fall in time prevents the alarm saying that no webhook accepted it', async () => {
    const home = await furnish();
    status = 503;
    await addCustomerHook(home);
    await home.report(world.now(), 'calling');
    await home.client.ok('PUT', home.acknowledgementAt(await home.uuidOf('fall_detected')), {});
    await world.pass(122 * SECOND);
    expect(await store(world.table).unnotified.list(home.customerId)).toEqual([]);
  });

  test.each([
    ['was recorded', [122 * SECOND, 0]],
    ['was not due yet', [0, 122 * SECOND]],
  ])(
    'reopening a fall restores the alarm saying that no webhook accepted it, even if the alarm %s',
    async (_, [before = 0, after = 0]) => {
      const home = await furnish();
      status = 503;
      await addCustomerHook(home);
      await home.report(world.now(), 'fall_detected', 'calling');
      await world.pass(before);
      const path = home.acknowledgementAt(await home.uuidOf('fall_detected'));
      await home.client.ok('PUT', path, {});
      await world.pass(after);
      const { unnotified } = store(world.table);
      expect(await unnotified.list(home.customerId)).toEqual([]);
      await home.client.ok('DELETE', path);
      await world.pass(5 * SECOND);
      const alarms = await unnotified.list(home.customerId);
      expect(alarms).toMatchObject([{ hitId: null, situation: 'fall_detected', sensorId: home.sensorId }]);
      await home.client.ok('PUT', path, {});
      expect(await unnotified.list(home.customerId)).toEqual([]);
    },
  );

  test('withdrawing an acknowledgement does not raise an alarm if a webhook accepted the fall', async () => {
    const home = await furnish();
    await addCustomerHook(home);
    await home.report(world.now(), 'calling');
    const path = home.acknowledgementAt(await home.uuidOf('fall_detected'));
    await home.client.ok('PUT', path, {});
    await home.client.ok('DELETE', path);
    await world.pass(5 * MINUTE);
    expect(await store(world.table).unnotified.list(home.customerId)).toEqual([]);
  });

  test('acknowledging a maker B fall does not acknowledge the next one', async () => {
    const home = await furnish();
    const { device, sensorId } = await linkSensor(home.client, 'maker_b');
    for (const pose of [2, 5, 1, 5]) {
      await device.ok('POST', `/devices/${sensorId}/messages`, { ...b.pose(1, pose), timestamp: world.now() });
      await world.idle();
      await world.pass(SECOND);
    }
    const [page] = await home.client.ok<{ data: EventView[] }[]>('GET', `/sensors/${sensorId}/events`);
    const [next, finished, detected, suspected] = page?.data.filter(({ type }) => type === 'fall') ?? [];
    const pathOf = (event: EventView | undefined) => `/sensors/${sensorId}/falls/${event?.uuid}/acknowledgement`;
    await home.client.ok('PUT', pathOf(suspected), {});
    for (const [event, code] of [
      [detected, 409],
      [finished, 409],
      [next, 200],
    ] as const)
      expect((await home.ben.client.call('PUT', pathOf(event), {})).status).toBe(code);
  });

  test("acknowledging an unknown event or another customer's event returns 404", async () => {
    const home = await furnish();
    const stranger = await furnish();
    await home.report(world.now(), 'calling');
    const path = home.acknowledgementAt(await home.uuidOf('fall_detected'));
    expect((await stranger.client.call('PUT', path, {})).status).toBe(404);
    for (const uuid of [await home.uuidOf('active'), '00000000-0000-4000-8000-000000000000'])
      expect((await home.client.call('PUT', home.acknowledgementAt(uuid), {})).status).toBe(404);
    expect((await home.client.call('PUT', path, { note: 'x'.repeat(257) })).status).toBe(400);
  });
});

describe('acknowledging one hit', () => {
  test('acknowledging or reopening one hit does the same for the whole fall', async () => {
    const home = await furnish(['fall_suspected', 'fall_detected']);
    await home.report(world.now(), 'fall_detected', 'calling');
    const [hit] = await home.hits();
    const path = home.acknowledgementAt(await home.uuidOf('fall_suspected'));
    await home.client.ok('PUT', home.hitAt(hit?.id ?? 0), { note: 'n' });
    expect(await home.acknowledgements()).toEqual([acknowledged(home, 'n'), acknowledged(home, 'n')]);
    expect((await home.ben.client.call('PUT', path, {})).status).toBe(409);
    expect((await home.ben.client.call('DELETE', path)).status).toBe(403);

    expect(await home.client.ok('DELETE', path)).toMatchObject({ acknowledgement: null });
    expect(await home.acknowledgements()).toEqual([null, null]);
    await world.pass(61 * SECOND);
    expect(home.smsToBen()).toBe(4);
    expect(await home.ben.client.ok('PUT', path, {})).toMatchObject({ acknowledgement: { userId: home.ben.id } });
    await home.ben.client.ok('DELETE', home.hitAt(hit?.id ?? 0));
    expect(await home.acknowledgements()).toEqual([null, null]);
    expect(await home.client.ok('PUT', path, {})).toMatchObject({ acknowledgement: acknowledged(home) });
  });

  test('only one of 40 concurrent acknowledgements of a fall takes effect', async () => {
    const home = await furnish(['fall_suspected', 'fall_detected']);
    await home.report(world.now(), 'fall_detected', 'calling');
    const hits = await home.hits();
    const paths = [
      home.acknowledgementAt(await home.uuidOf('fall_suspected')),
      ...hits.map(({ id }) => home.hitAt(id)),
    ];
    const calls = Array.from({ length: 40 }, (_, at) =>
      (at % 2 === 0 ? home.client : home.ben.client).call('PUT', paths[at % 3] ?? '', {}),
    );
    const answers = await Promise.all(calls);
    await world.idle();
    const [first, second] = await home.acknowledgements();
    expect(first).toEqual(second);
    expect(first).not.toBeNull();
    for (const { status, body } of answers)
      expect(body).toMatchObject(
        status === 200 ? { acknowledgement: first } : { message: new RegExp(`^${first?.name} `) },
      );
  });
});

test.each([
  ['the request ends before the hits are updated', () => {}],
  ['the worker dies before it records that the hits were updated', () => crash.at('process.settled')],
])("hits share the fall's acknowledgement even if %s", async (_, prepare) => {
  const home = await furnish(['fall_suspected', 'fall_detected']);
  await home.report(world.now(), 'fall_detected', 'calling');
  const { falls } = store(world.table);
  const fall = await falls.ofEvent(home.customerId, home.sensorId, await home.uuidOf('fall_suspected'), 0);
  if (!fall) return expect.unreachable();
  const by = { userId: home.userId, name: 'A B', date: world.now() };
  prepare();
  await falls.acknowledge(fall, by);
  expect(await home.acknowledgements()).toEqual([null, null]);
  await world.pass(2 * MINUTE);
  await world.pass(2 * MINUTE);
  expect(crash.isOver()).toBe(true);
  expect(await home.acknowledgements()).toEqual([by, by]);
  await falls.withdraw(fall, () => true, world.now());
  await world.pass(2 * MINUTE);
  expect(await home.acknowledgements()).toEqual([null, null]);
});
