import { randomBytes } from 'node:crypto';
import { type Api, apiClient, logIn, type Print } from './client.ts';
import { type Received, startReceiver } from './receiver.ts';
import { isSigned } from './signed.ts';

type Id = { id: number };
type StoryOptions = { base: string; username: string; password: string; provisioningKey: string; say: Print };

/** A check of the story, and whether it holds. */
type Check = { what: string; holds: boolean };
const SECRET = 'whsec_'.concat(Buffer.from('the demo signs with this secret').toString('base64'));

const statuses = ['fall_detected', 'fall_confirmed', 'calling', 'finished'] as const;
const messageOf = (status: string, start: number, at: number) => ({
  type: 5,
  payload: {
    status,
    timestamp: start,
    statusUpdateTimestamp: start + at * 1_000,
    fallLocX_cm: 40,
    fallLocY_cm: 180,
    fallLocZ_cm: 15,
    isSimulated: false,
    isLearning: false,
    isSilent: false,
  },
});

// The receiver first answers with an error, then does not answer before the deadline, and then answers 200.
const startTroubledReceiver = (say: Print) =>
  startReceiver((request, response, count) => {
    const doing = count === 1 ? 'answers 500' : count === 2 ? 'hangs' : 'answers 200';
    say(`  receiver: attempt ${count} of ${request.headers['webhook-id']} ${doing}`);
    if (count === 1) response.writeHead(500).end();
    else if (count > 2) response.end('thank you');
  });

/** Creates a customer with a sensor, and a bot whose webhook is told of falls. */
const prepare = async (admin: Api, { base, provisioningKey, say }: StoryOptions, url: string) => {
  const name = `Demo home ${randomBytes(3).toString('hex')}`;
  const customer = await admin.post<Id>('/customers', { name, location: 'Ground floor', email: '' });
  const username = `nurse-${randomBytes(4).toString('hex')}`;
  const password = randomBytes(12).toString('base64url');
  const permissions = ['manage_sensors', 'manage_bots', 'manage_rules'];
  const person = { firstName: 'Demo', lastName: 'User', email: '', permissions };
  await admin.post('/users', { customerId: customer.id, username, password, ...person });
  const { api } = await logIn(base, username, password, say);

  const hardwareId = randomBytes(6).toString('hex');
  const device = await apiClient(base, provisioningKey, say).post<{
    sensorId: string;
    deviceToken: string;
    pairingCode: string;
  }>('/devices/register', { manufacturer: 'maker_a', hardwareId, firmwareVersion: 42 });
  await api.post('/sensors/link', { manufacturer: 'maker_a', code: device.pairingCode });
  const bot = await api.post<Id>('/bots', { name: 'Nurse call' });
  const webhook = await api.post<{ id: string; token: string }>('/webhooks', {
    name: 'Nurse call',
    url,
    format: 'full',
    isCustomerHook: false,
    botId: bot.id,
    secretKey: SECRET,
    retrySchedule: [0, 1, 1],
  });
  await api.post('/rules', {
    name: 'Falls',
    title: '{sensor}: {situation}',
    message: 'Somebody lies on the floor, {location}, {time}',
    situation: 'fall_detected',
    sensorId: device.sensorId,
    recipients: [{ botId: bot.id, webhookId: webhook.id }],
  });
  return { api, customer, device, webhook };
};

type Hit = { situation: string; allSend: boolean; ruleMessages: { wasSend: boolean; sendTryTimes: number[] }[] };

const judge = async (received: readonly Received[], token: string, hits: readonly Hit[]): Promise<Check[]> => {
  const [hit, ...further] = hits;
  const payload = JSON.parse(received[0]?.body ?? '{}');
  const message = hit?.ruleMessages[0];
  const signed = await Promise.all(received.map((delivery) => isSigned(delivery, SECRET)));
  return [
    { what: 'three attempts arrived', holds: received.length === 3 },
    {
      what: 'all attempts have the same webhook-id',
      holds: new Set(received.map(({ headers }) => headers['webhook-id'])).size === 1,
    },
    { what: 'all attempts have the same bytes', holds: new Set(received.map(({ body }) => body)).size === 1 },
    { what: 'every signature is right', holds: !signed.includes(false) },
    {
      what: 'every attempt carries the token',
      holds: received.every(({ headers }) => headers.authorization === `Bearer ${token}`),
    },
    {
      what: 'the payload is that of the fall',
      holds: payload.event?.action === 'fall_detected' && payload.rule?.situation === 'fall_detected',
    },
    { what: 'there is one rule hit', holds: hit?.situation === 'fall_detected' && further.length === 0 },
    { what: 'the hit has the times of three attempts', holds: message?.sendTryTimes.length === 3 },
    { what: 'the hit says that all was sent', holds: message?.wasSend === true && hit?.allSend === true },
  ];
};

/** Polls until the hit is marked as sent. The receiver's answer and the hit are two writes, so this takes a moment. */
const settledHits = async (api: Api, customerId: number): Promise<Hit[]> => {
  for (let tries = 0; ; tries++) {
    const [page] = await api.get<{ data: Hit[] }[]>(`/customers/${customerId}/rule-hits`);
    if (page?.data[0]?.allSend || tries === 40) return page?.data ?? [];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/**
 * Plays the main case: a fall, a receiver with errors, and a webhook that arrives nevertheless. Gives true when every
 * check held.
 */
export const tellStory = async (options: StoryOptions): Promise<boolean> => {
  const { base, username, password, say } = options;
  const receiver = await startTroubledReceiver(say);
  try {
    say(
      '1. An admin logs in, and creates a customer and a user; the user links a sensor and creates a bot, a webhook and a rule.',
    );
    const { api: admin } = await logIn(base, username, password, say);
    const { api, customer, device, webhook } = await prepare(admin, options, receiver.url);
    say('2. Somebody falls. The device reports each state of the fall.');
    const start = Date.now() - 60_000;
    const asDevice = apiClient(base, device.deviceToken, say);
    for (const [at, status] of statuses.entries()) {
      say(`  device: ${status}`);
      await asDevice.post(`/devices/${device.sensorId}/messages`, messageOf(status, start, at * 20));
    }
    say('3. The nurse-call system answers 500, then does not answer, then answers 200.');
    await receiver.until(3);
    say(`  body: ${receiver.received[2]?.body}`);
    say('4. These checks must hold:');
    const checks = await judge(receiver.received, webhook.token, await settledHits(api, customer.id));
    for (const { what, holds } of checks) say(`  ${holds ? 'ok' : 'NOT OK'}: ${what}`);
    return checks.every(({ holds }) => holds);
  } finally {
    await receiver.stop();
  }
};
