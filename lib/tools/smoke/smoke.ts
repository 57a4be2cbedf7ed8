import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#lib/client/client.ts';
import { ok } from '#lib/client/problem.ts';
import { isSigned, type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { DeliveryDetail } from '#openapi';
import { Refusal } from '../refusal.ts';
import { type Home, settle } from './home.ts';
import { stepwise } from './steps.ts';

type Login = { token: string } | { username: string; password: string };
export type SmokeOptions = {
  /** The URL of the API, which ends in /api/v1. */
  base: string;
  login: Login;
  /**
   * The URL that is told of the fall. By default it is a receiver on loopback, which only a cloud on this machine can
   * call.
   */
  receiver?: string | undefined;
  /** The URL that devices call, without /api/v1. By default it is the one that the service names. */
  deviceUrl?: string | undefined;
  /** Seconds that the fall may take to reach the receiver. */
  seconds: number;
  say: (line: string) => void;
  signal: AbortSignal;
};

const POLL_MS = 250;

const adminOf = async (baseUrl: string, login: Login): Promise<Client> => {
  const admin = createClient({ baseUrl, ...login });
  const { isAdmin } = await ok(admin.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
  if (!isAdmin) throw new Error('this user is no system admin, and only one can make a customer to test with');
  return admin;
};

const deviceBaseOf = async (admin: Client, { base, deviceUrl }: SmokeOptions): Promise<string> => {
  const { deviceUrl: named } = await ok(admin.GET('/server/config'));
  const url = deviceUrl ?? named;
  return url ? `${url.replace(/\/$/, '')}/api/v1` : base;
};

const attemptText = ({ number, status, error, durationMs }: DeliveryDetail['attemptLog'][number]): string =>
  `attempt ${number} ended with ${status ?? error} after ${durationMs} ms`;

/**
 * Waits until the delivery has arrived; returns its id. Throws an error that describes its state when it fails or takes
 * too long.
 */
const arrival = async ({ client, webhookId }: Home, { seconds, signal }: SmokeOptions): Promise<string> => {
  const params = { path: { webhookId } };
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const [page] = await ok(client.GET('/webhooks/{webhookId}/deliveries', { params }));
    const [delivery] = page?.data ?? [];
    if (delivery?.state === 'delivered') return delivery.id;
    if (performance.now() > end || signal.aborted || delivery?.state === 'failed') {
      if (!delivery) throw new Error(`after ${seconds} s there is no delivery: is the fall still in the queue?`);
      const { attemptLog } = await ok(
        client.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', {
          params: { path: { webhookId, deliveryId: delivery.id } },
        }),
      );
      const last = attemptLog.at(-1);
      throw new Error(
        `the delivery ${delivery.id} is ${delivery.state}; ${last ? attemptText(last) : 'no attempt has ended'}`,
      );
    }
    await sleep(POLL_MS);
  }
};

const hitOf = async ({ client, customerId }: Home): Promise<void> => {
  const end = performance.now() + 5_000;
  for (;;) {
    const [page] = await ok(client.GET('/customers/{customerId}/rule-hits', { params: { path: { customerId } } }));
    const [hit, ...others] = page?.data ?? [];
    if (hit?.situation === 'fall_detected' && hit.allSend && others.length === 0) return;
    if (performance.now() > end) throw new Error('there is not just one rule hit whose messages were all sent');
    await sleep(POLL_MS);
  }
};

const received = async ({ received: [first, ...others] }: Receiver, secret: string): Promise<void> => {
  if (!first || others.length > 0) throw new Error(`the receiver heard ${others.length + (first ? 1 : 0)} requests`);
  if (!(await isSigned(first, secret))) throw new Error('its signature is wrong');
  if (JSON.parse(first.body).event?.action !== 'fall_detected') throw new Error('it does not tell of the fall');
};

/**
 * Runs the main case once: creates a customer, reports a fall, checks that a receiver is told, and removes
 * everything. Returns whether every step worked and everything was removed except for data that expires by itself.
 */
export const smoke = async (options: SmokeOptions): Promise<boolean> => {
  const { base, login, say, signal } = options;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const own = options.receiver === undefined ? await startReceiver() : null;
  const { cleanUp, ...steps } = stepwise(say, () => performance.now(), signal);
  const { step } = steps;
  const run = async () => {
    const admin = await step('log in as a system admin', () => adminOf(base, login));
    const deviceBase = await step('ask where devices call', () => deviceBaseOf(admin, options));
    const receiver = options.receiver ?? own?.url ?? '';
    const home = await settle(admin, { base, deviceBase, receiver, secret }, steps);
    await step('the device tells of a fall, which is accepted', () => home.device.fall());
    const id = await step('the fall reaches the receiver', () => arrival(home, options));
    if (own) await step('the receiver heard it once, signed', async () => received(own, secret));
    await step('the rule hit says that it was sent', () => hitOf(home));
    // The webhook and the customer are deleted right after this, so the delivery could not be found by its id alone.
    const { customerId, webhookId } = home;
    say(`           its way: npm run trace -- --delivery ${id} --customer ${customerId} --webhook ${webhookId}`);
  };
  const failure = await run().then(
    () => null,
    (error: Error) => error,
  );
  if (failure) say(`   FAILED  ${failure.message}`);
  const isClean = await cleanUp();
  await own?.stop();
  if (failure && !(failure instanceof Refusal)) throw failure;
  return failure === null && isClean;
};
