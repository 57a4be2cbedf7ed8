import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, createHome, homeAt } from '../fixtures/home.ts';
import {
  type DeliveryRecorder,
  linkSensors,
  type PostedFall,
  postFall,
  SENSORS,
  type Sensor,
  until,
} from './bench-site.ts';

export type Home = { client: Client; sensors: Sensor[]; fanOut: number };

/** Creates a rule that notifies `fanOut` webhooks. */
const createFanOut = async (client: Client, url: string, fanOut: number): Promise<void> => {
  const home = homeAt(client);
  const secretKey = 'a-secret-of-16-or-more';
  const { bot, recipient } = await home.addRecipient('Nurse call', { name: 'nurse call 0', url, secretKey });
  const recipients = [recipient];
  for (let at = 1; at < fanOut; at++) {
    const { id } = await home.addWebhook({ name: `nurse call ${at}`, url, botId: bot.id, secretKey });
    recipients.push({ botId: bot.id, webhookId: id });
  }
  await home.addRule({ name: 'fall', situation: 'fall_detected', recipients });
};

/** Creates a customer and sends each sensor's first message, which warms up the host and causes an additional event. */
export const createBenchHome = async (
  admin: Client,
  name: string,
  ear: DeliveryRecorder,
  fanOut: number,
): Promise<Home> => {
  const { client } = await createHome(admin, name, ALL_PERMISSIONS);
  const sensors = await linkSensors(client, SENSORS);
  await createFanOut(client, ear.receiver.url, fanOut);
  const first: PostedFall[] = [];
  for (const sensor of sensors) first.push(await postFall(sensor));
  await until(() => first.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  return { client, sensors, fanOut };
};

export const sensorAt = (sensors: readonly Sensor[], at: number): Sensor => {
  const sensor = sensors[at % sensors.length];
  if (!sensor) throw new Error('the home has no sensor');
  return sensor;
};
