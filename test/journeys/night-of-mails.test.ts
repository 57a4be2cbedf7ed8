import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createAlarm, linkSensor } from '../fixtures/home.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const MINUTE = 60_000;
/** Sweeps further apart than this would count as an outage. */
const STEP_MINUTES = 4;
const MINUTES = 104;
const SENSORS = 40;
/** The minutes with a fall. */
const FALLS = [60, 64, 68];

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
beforeAll(async () => {
  world = await createPeopleWorld({ environment: { SENSOR_INACTIVE_AFTER_SECONDS: '1500' } });
  receiver = await startReceiver((_, response) => void response.writeHead(503).end());
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

const presence = (presenceDetected: boolean) => ({
  type: 4,
  uuid: crypto.randomUUID(),
  payload: { presenceDetected, timestamp: world.now() },
});

test('managers get only 5 emails an hour for 40 offline sensors and 3 undelivered falls', async () => {
  const home = await world.furnish();
  const managers = ['Nora', 'Ben'].map((name) => `${name.toLowerCase()}-night@example.com`);
  for (const [at, email] of managers.entries())
    await home.hire(at === 0 ? 'Nora' : 'Ben', { email }, { permissions: ['manage_rules'] });
  await home.hire('Guest', { email: 'guest-night@example.com' });
  await createAlarm(home.client, receiver.url);
  await createAlarm(home.client, receiver.url, 'sensor_inactive');
  for (let sensor = 0; sensor < SENSORS; sensor++) {
    const { device, sensorId } = await linkSensor(home.session);
    await device.ok('POST', `/devices/${sensorId}/messages`, presence(true));
  }
  world.sentMessages.length = 0;
  for (let minute = 0; minute < MINUTES; minute += STEP_MINUTES) {
    await home.report(presence(minute % (2 * STEP_MINUTES) === 0));
    if (FALLS.includes(minute)) await home.fall();
    await world.pass(STEP_MINUTES * MINUTE);
  }
  const subjectsTo = (address: string) =>
    world.sentMessages
      .filter(({ by, to }) => by === 'email' && to === address)
      .map(({ text }) => text.split('\n')[0] ?? '');
  const countsOf = (address: string) => {
    const subjects = subjectsTo(address);
    const count = (pattern: RegExp) => subjects.filter((subject) => pattern.test(subject)).length;
    return {
      falls: count(/^Nobody was notified: Fall/),
      sensors: count(/^\d+ alarms? /),
      reminders: count(/^Still open/),
      all: subjects.length,
    };
  };
  for (const address of managers) expect(countsOf(address)).toEqual({ falls: 3, sensors: 1, reminders: 1, all: 5 });
  expect(subjectsTo('guest-night@example.com')).toEqual([]);
});
