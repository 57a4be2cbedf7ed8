import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, createHome } from '../fixtures/home.ts';
import { type Ear, linkSensors, type Posted, postFall, SENSORS, type Sensor, until } from './site.ts';

export type Home = { client: Client; sensors: Sensor[]; fanOut: number };

/** Creates a rule that tells as many webhooks as the fan-out says. */
const createFanOut = async (client: Client, url: string, fanOut: number): Promise<void> => {
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const recipients: object[] = [];
  for (let at = 0; at < fanOut; at++) {
    const hook = { name: `nurse call ${at}`, url, format: 'full', isCustomerHook: false, botId: bot.id };
    const { id } = await client.ok<{ id: string }>('POST', '/webhooks', {
      ...hook,
      secretKey: 'a-secret-of-16-or-more',
    });
    recipients.push({ botId: bot.id, webhookId: id });
  }
  const texts = { name: 'fall', title: '{sensor}: {situation}', message: 'at {location}, {time}' };
  await client.ok('POST', '/rules', { ...texts, situation: 'fall_detected', recipients });
};

/**
 * Creates a customer and warms the host up. The first message of each sensor causes an additional event, so it is
 * sent before.
 */
export const createBenchHome = async (admin: Client, name: string, ear: Ear, fanOut: number): Promise<Home> => {
  const { client } = await createHome(admin, name, ALL_PERMISSIONS);
  const sensors = await linkSensors(client, SENSORS);
  await createFanOut(client, ear.receiver.url, fanOut);
  const first: Posted[] = [];
  for (const sensor of sensors) first.push(await postFall(sensor));
  await until(() => first.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  return { client, sensors, fanOut };
};

export const sensorAt = (sensors: readonly Sensor[], at: number): Sensor => {
  const sensor = sensors[at % sensors.length];
  if (!sensor) throw new Error('there is no sensor');
  return sensor;
};
