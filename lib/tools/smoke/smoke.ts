import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#lib/client/client.ts';
import { ok } from '#lib/client/problem.ts';
import { isSigned, type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { DeliveryDetail } from '#openapi';
import { UserError } from '../user-error.ts';
import { createSmokeHome, type SmokeHome } from './home.ts';
import { createSteps } from './steps.ts';

type Login = { token: string } | { username: string; password: string };
export type SmokeOptions = {
  /** The API URL, ending in /api/v1. */
  base: string;
  login: Login;
  /**
   * The URL that receives the fall. The default is a receiver on loopback, which only a service on this machine can
   * call.
   */
  receiver?: string | undefined;
  /** The device API URL, without /api/v1. The default is the URL reported by the service. */
  deviceUrl?: string | undefined;
  /** The longest time (s) the fall may take to reach the receiver. */
  seconds: number;
  say: (line: string) => void;
  signal: AbortSignal;
};

const POLL_MS = 250;

const adminOf = async (baseUrl: string, login: Login): Promise<Client> => {
  const admin = createClient({ baseUrl, ...login });
  const { isAdmin } = await ok(admin.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
  if (!isAdmin)
    throw new Error('this user is not a system admin, but only system admins can create a customer for the test');
  return admin;
};

const deviceBaseOf = async (admin: Client, { base, deviceUrl }: SmokeOptions): Promise<string> => {
  const { deviceUrl: reported } = await ok(admin.GET('/server/config'));
  const url = deviceUrl ?? reported;
  return url ? `${url.replace(/\/$/, '')}/api/v1` : base;
};

const attemptText = ({ number, status, error, durationMs }: DeliveryDetail['attemptLog'][number]): string =>
  `attempt ${number} ended with ${status ?? error} after ${durationMs} ms`;

/**
 * Waits for the delivery and returns its id. Throws an error with the delivery state if the delivery fails or takes too
 * long.
 */
const awaitDelivery = async ({ client, webhookId }: SmokeHome, { seconds, signal }: SmokeOptions): Promise<string> => {
  const params = { path: { webhookId } };
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const [page] = await ok(client.GET('/webhooks/{webhookId}/deliveries', { params }));
    const [delivery] = page?.data ?? [];
    if (delivery?.state === 'delivered') return delivery.id;
    if (performance.now() > end || signal.aborted || delivery?.state === 'failed') {
      if (!delivery) throw new Error(`no delivery after ${seconds} s: is the fall still queued?`);
      const { attemptLog } = await ok(
        client.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', {
          params: { path: { webhookId, deliveryId: delivery.id } },
        }),
      );
      const last = attemptLog.at(-1);
      throw new Error(
        `the delivery ${delivery.id} is ${delivery.state}; ${last ? attemptText(last) : 'no attempt has finished'}`,
      );
    }
    await sleep(POLL_MS);
  }
};

const checkHit = async ({ client, customerId }: SmokeHome): Promise<void> => {
  const end = performance.now() + 5_000;
  for (;;) {
    const [page] = await ok(client.GET('/customers/{customerId}/rule-hits', { params: { path: { customerId } } }));
    const [hit, ...others] = page?.data ?? [];
    if (hit?.situation === 'fall_detected' && hit.allSend && others.length === 0) return;
    if (performance.now() > end) throw new Error('expected exactly one rule hit with all messages sent');
    await sleep(POLL_MS);
  }
};

const checkReceived = async ({ received: [first, ...others] }: Receiver, secret: string): Promise<void> => {
  if (!first || others.length > 0)
    throw new Error(`the receiver got ${others.length + (first ? 1 : 0)} requests instead of 1`);
  if (!(await isSigned(first, secret))) throw new Error('the signature is invalid');
  if (JSON.parse(first.body).event?.action !== 'fall_detected') throw new Error('the request is not about the fall');
};

/**
 * Runs the smoke test: creates a customer, reports a fall, checks that a receiver gets it, and removes everything.
 * Returns whether all steps succeeded and everything except expiring data was removed.
 */
export const smoke = async (options: SmokeOptions): Promise<boolean> => {
  const { base, login, say, signal } = options;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const own = options.receiver === undefined ? await startReceiver() : null;
  const { cleanUp, ...steps } = createSteps(say, () => performance.now(), signal);
  const { step } = steps;
  const run = async () => {
    const admin = await step('log in as a system admin', () => adminOf(base, login));
    const deviceBase = await step('get the address of the device API', () => deviceBaseOf(admin, options));
    const receiver = options.receiver ?? own?.url ?? '';
    const home = await createSmokeHome(admin, { base, deviceBase, receiver, secret }, steps);
    await step('report a fall', () => home.device.fall());
    const id = await step('the fall reaches the receiver', () => awaitDelivery(home, options));
    if (own) await step('the receiver got it once, signed', async () => checkReceived(own, secret));
    await step('the rule hit is marked as sent', () => checkHit(home));
    // The webhook and the customer are deleted right after this, so the delivery could not be found by its id alone.
    const { customerId, webhookId } = home;
    say(`           trace it: npm run trace -- --delivery ${id} --customer ${customerId} --webhook ${webhookId}`);
  };
  const failure = await run().then(
    () => null,
    (error: Error) => error,
  );
  if (failure) say(`   FAILED  ${failure.message}`);
  const isClean = await cleanUp();
  await own?.stop();
  if (failure && !(failure instanceof UserError)) throw failure;
  return failure === null && isClean;
};
