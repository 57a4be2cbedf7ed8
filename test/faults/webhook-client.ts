import { createResolver } from '#shared/delivery/resolve.ts';
import { createWebhookClient, createWebhookSemaphore, type WebhookClient } from '#shared/delivery/webhook-client.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';
import { certificates, RECEIVER_NAME, SLOW_NAME } from './receiver.ts';

/** A deadline long enough for a response on the busiest machine. */
const DEADLINE_SECONDS = 5;
/** Wrong name lookup results: no address, a forbidden one alongside the right one, or only a forbidden one. */
const wrongAddresses: readonly [string[], ...string[][]] = [
  [],
  ['169.254.169.254'],
  ['127.0.0.1', '10.0.0.7'],
  ['127.0.0.2'],
  ['::ffff:127.0.0.1'],
];

/**
 * Creates the webhook client for the service, with this suite's name servers. `nameServer` resolves one customer's
 * names.
 */
export const webhookClientOf = (chaos: Chaos, nameServer: string): WebhookClient => {
  const resolveSlowly = createResolver([nameServer]);
  const resolve = async (name: string): Promise<readonly string[]> => {
    if (name === SLOW_NAME) return resolveSlowly(name);
    if (name !== RECEIVER_NAME) throw new Error(`${name} does not resolve`);
    return chaos.strikes(chaos.rates().names) ? oneOf(chaos.chance, wrongAddresses) : ['127.0.0.1'];
  };
  const network = { allowLoopback: true, resolve, agentOptions: { ca: certificates.good.cert } };
  const calls = new Map<string, WebhookClient>();
  const webhookClientFor = (url: string): WebhookClient => {
    const { deadline = DEADLINE_SECONDS } = chaos.rates();
    const ALLOW_PRIVATE_TARGETS = !url.startsWith('https:');
    const key = `${deadline} ${ALLOW_PRIVATE_TARGETS}`;
    const stage = {
      ALLOWED_TARGET_RANGES: ['127.0.0.1/32'],
      DELIVERY_DEADLINE_SECONDS: deadline,
      ALLOW_PRIVATE_TARGETS,
      PUBLIC_URL: '',
      OWN_URLS: [],
      CANARY: false,
    };
    const found = calls.get(key) ?? createWebhookClient(stage, network);
    calls.set(key, found);
    return found;
  };
  return {
    ...createWebhookSemaphore(),
    check: (url) => webhookClientFor(url).check(url),
    post: (request) => webhookClientFor(request.url).post(request),
  };
};
