import { type Client, createClient } from '#lib/client/client.ts';
import { ok } from '#lib/client/problem.ts';
import { createHome, withRandomSuffix } from '#lib/home/home.ts';
import { isSigned, type Received, startReceiver } from '#lib/home/receiver.ts';
import type { MakerAFallMessage, RuleHit } from '#openapi';

type Print = (line: string) => void;
type StoryOptions = { base: string; username: string; password: string; provisioningKey: string; say: Print };

/** A demo check and whether it passed. */
type Check = { claim: string; holds: boolean };
const SECRET = 'whsec_'.concat(Buffer.from('the demo signs with this secret').toString('base64'));

const statuses = ['fall_detected', 'fall_confirmed', 'calling', 'finished'] as const;
const messageOf = (status: (typeof statuses)[number], start: number, at: number): MakerAFallMessage => ({
  type: 5,
  payload: {
    status,
    timestamp: start,
    statusUpdateTimestamp: start + at * 1_000,
    fallLocX_cm: 40,
    fallLocY_cm: 180,
    fallLocZ_cm: 15,
  },
});

// The receiver first responds with an error, then misses the deadline, and then responds with 200.
const startFailingReceiver = (say: Print) =>
  startReceiver((request, response, count) => {
    const reaction = count === 1 ? 'responds 500' : count === 2 ? 'hangs' : 'responds 200';
    say(`  receiver: attempt ${count} of ${request.headers['webhook-id']} ${reaction}`);
    if (count === 1) response.writeHead(500).end();
    else if (count > 2) response.end('thank you');
  });

/** Returns a `fetch` that prints each request. */
const printingFetch =
  (base: string, say: Print) =>
  async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    say(`${request.method} ${request.url.replace(base, '')} -> ${response.status}`);
    return response;
  };

/** Creates a customer with a sensor, and a bot whose webhook is notified of falls. */
const prepare = async ({ base, username, password, provisioningKey, say }: StoryOptions, url: string) => {
  const reached = { baseUrl: base, fetch: printingFetch(base, say) };
  const home = await createHome(createClient({ ...reached, username, password }), {
    reached,
    name: withRandomSuffix('Demo home '),
    location: 'Ground floor',
    user: { username: withRandomSuffix('nurse-'), permissions: ['manage_sensors', 'manage_bots', 'manage_rules'] },
  });
  const device = await home.addSensor({ provisioningKey });
  const { webhook, recipient } = await home.addRecipient('Nurse call', {
    url,
    secretKey: SECRET,
    retrySchedule: [0, 1, 1],
  });
  await home.addRule({
    name: 'Falls',
    message: 'Somebody is on the floor, {location}, {time}',
    situation: 'fall_detected',
    sensorId: device.sensorId,
    recipients: [recipient],
  });
  return { ...home, device, webhook };
};

const judge = async (received: readonly Received[], token: string, hits: readonly RuleHit[]): Promise<Check[]> => {
  const [hit, ...further] = hits;
  const payload = JSON.parse(received[0]?.body ?? '{}');
  const message = hit?.ruleMessages[0];
  const signed = await Promise.all(received.map((delivery) => isSigned(delivery, SECRET)));
  return [
    { claim: 'three attempts arrived', holds: received.length === 3 },
    {
      claim: 'all attempts have the same webhook-id',
      holds: new Set(received.map(({ headers }) => headers['webhook-id'])).size === 1,
    },
    { claim: 'all attempts have the same bytes', holds: new Set(received.map(({ body }) => body)).size === 1 },
    { claim: 'every signature is valid', holds: !signed.includes(false) },
    {
      claim: 'every attempt has the token',
      holds: received.every(({ headers }) => headers.authorization === `Bearer ${token}`),
    },
    {
      claim: 'the payload describes the fall',
      holds: payload.event?.action === 'fall_detected' && payload.rule?.situation === 'fall_detected',
    },
    { claim: 'there is one rule hit', holds: hit?.situation === 'fall_detected' && further.length === 0 },
    { claim: 'the hit lists three attempts', holds: message?.sendTryTimes.length === 3 },
    { claim: 'the hit is marked as sent', holds: message?.wasSend === true && hit?.allSend === true },
  ];
};

/** Polls until the hit is marked as sent. The mark is written after the attempt, so this takes a moment. */
const settledHits = async (client: Client, customerId: number): Promise<RuleHit[]> => {
  for (let tries = 0; ; tries++) {
    const [page] = await ok(client.GET('/customers/{customerId}/rule-hits', { params: { path: { customerId } } }));
    if (page?.data[0]?.allSend || tries === 40) return page?.data ?? [];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/**
 * Plays through the main scenario: a fall, a failing receiver, and a webhook that still arrives. Returns whether every
 * check passed.
 */
export const runStory = async (options: StoryOptions): Promise<boolean> => {
  const { say } = options;
  const receiver = await startFailingReceiver(say);
  try {
    say(
      '1. An admin logs in and creates a customer and a user. The user links a sensor and creates a bot, a webhook and a rule.',
    );
    const { client, customerId, device, webhook } = await prepare(options, receiver.url);
    say('2. Somebody falls. The device reports each state of the fall.');
    const start = Date.now() - 60_000;
    for (const [at, status] of statuses.entries()) {
      say(`  device: ${status}`);
      await device.send(messageOf(status, start, at * 20));
    }
    say('3. The nurse-call system responds 500, then hangs, then responds 200.');
    await receiver.until(3);
    say(`  body: ${receiver.received[2]?.body}`);
    say('4. Checks:');
    const checks = await judge(receiver.received, webhook.token, await settledHits(client, customerId));
    for (const { claim, holds } of checks) say(`  ${holds ? 'ok' : 'NOT OK'}: ${claim}`);
    return checks.every(({ holds }) => holds);
  } finally {
    await receiver.stop();
  }
};
