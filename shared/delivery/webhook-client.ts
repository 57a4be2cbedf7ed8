import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { canaryUrl } from '../domain/canary.ts';
import { SLOTS_PER_WEBHOOK, type SlotLease } from '../domain/delivery/breaker.ts';
import type { TargetPolicy } from './addresses.ts';
import type { PoolOptions } from './agent-pool.ts';
import type { Attempt } from './http-attempt.ts';
import { type ClientOptions, createHttpClient, type PostRequest } from './http-client.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { resolveName } from './resolve.ts';
import { checkTarget } from './url-policy.ts';

/**
 * `isPublicOnly`: allows only https on public addresses, whatever the stage allows. `isLoopbackDenied`: allows only the
 * loopback addresses named by the stage if others can connect to this host.
 */
type Reach = { isPublicOnly?: boolean; isLoopbackDenied?: boolean };

/** The only client for requests to addresses chosen by customers. Every target is checked. */
export type WebhookClient = {
  /** Checks a URL to be saved, including all addresses of its name, as if `isLoopbackDenied` were set. */
  check: (url: string, reach?: Pick<Reach, 'isPublicOnly'>) => ReturnType<typeof checkTarget>;
  post: (request: PostRequest & Reach) => Promise<Attempt>;
  /** Acquires one of the permits that limit the concurrent requests from this process to a webhook. */
  acquire: Semaphore<SlotPool>['acquire'];
};

/** A delivery waiting in this process for a slot, or for a probe result. `wake` ends the pause. */
export type Waiter = { wake: () => void; waitsFor: 'slot' | 'probe_result' };

/** What all requests from this process to a webhook share. */
export type SlotPool = {
  /** Whether a request without a lease is in progress, which other processes do not see. */
  hasUnleasedRequest: boolean;
  /** The leases this process holds but does not currently use. */
  idleLeases: SlotLease[];
  /** The number of slot searches so far. Each one starts at a different slot. */
  searches: number;
  /** Deliveries to wake when a slot may be free. */
  waiters: Set<Waiter>;
};
/** Creates the semaphore that limits the requests from this process to each webhook. */
export const createWebhookSemaphore = (): Semaphore<SlotPool> =>
  createSemaphore(SLOTS_PER_WEBHOOK, () => ({
    hasUnleasedRequest: false,
    idleLeases: [],
    searches: 0,
    waiters: new Set(),
  }));

type Stage = {
  ALLOW_PRIVATE_TARGETS: boolean;
  ALLOWED_TARGET_RANGES: readonly string[];
  DELIVERY_DEADLINE_SECONDS: number;
  PUBLIC_URL: string;
  OWN_URLS: readonly string[];
  CANARY: boolean;
};

/**
 * Replaces the name resolution and certificates on this machine. `allowLoopback`: receivers may be on this machine.
 * With `named`, new receivers may use only loopback addresses named by the stage, because others can connect to this
 * host. `secureContext`: the certificates to trust, except in requests that allow only public addresses.
 * `publicRanges`: ranges that count as public. Tests set it to loopback, where their push services are.
 */
type NetworkOptions = Pick<ClientOptions, 'resolve' | 'agentOptions'> & {
  allowLoopback?: boolean | 'named';
  secureContext?: PoolOptions['agentOptions']['secureContext'];
  publicRanges?: readonly string[];
};

/**
 * Creates the webhook client for a stage. It does not call the service itself, except for the canary webhook, and calls
 * loopback only if the host allows it.
 */
export const createWebhookClient = (
  stage: Stage,
  { allowLoopback = false, publicRanges = [], secureContext, ...network }: NetworkOptions = {},
): WebhookClient => {
  const { resolve = resolveName } = network;
  const policy: TargetPolicy = {
    allowPrivate: stage.ALLOW_PRIVATE_TARGETS,
    allowedRanges: stage.ALLOWED_TARGET_RANGES,
    allowLoopback: allowLoopback !== false,
    own: ownEndpoints([stage.PUBLIC_URL, ...stage.OWN_URLS]),
  };
  const saved: TargetPolicy = { ...policy, allowLoopback };
  const publicOnly: TargetPolicy = {
    ...policy,
    allowPrivate: false,
    allowedRanges: publicRanges,
    allowLoopback: publicRanges.length > 0,
  };
  const options = { ...network, deadlineMs: stage.DELIVERY_DEADLINE_SECONDS * 1_000 };
  const agentOptions = { ...network.agentOptions, ...(secureContext && { secureContext }) };
  const { post } = createHttpClient({ ...options, policy, agentOptions });
  // The canary webhook calls the service itself, only at this URL. Users cannot choose it.
  const toCanary = stage.CANARY ? createHttpClient({ ...options, policy: { ...policy, own: [] } }) : null;
  const toPublic = createHttpClient({ ...options, policy: publicOnly });
  const toNamed = allowLoopback === 'named' ? createHttpClient({ ...options, policy: saved, agentOptions }) : null;
  const checkWebhook = async (url: string) => {
    const checked = await checkTarget(url, saved, resolve);
    const isOnlyLoopback = !checked.ok && toNamed !== null && (await checkTarget(url, policy, resolve)).ok;
    return isOnlyLoopback ? { ok: false as const, reason: 'url_loopback' as const } : checked;
  };
  return {
    check: (url, { isPublicOnly = false } = {}) =>
      isPublicOnly ? checkTarget(url, publicOnly, resolve) : checkWebhook(url),
    post: ({ isPublicOnly = false, isLoopbackDenied = false, ...request }) => {
      if (isPublicOnly) return toPublic.post(request);
      if (isLoopbackDenied && toNamed) return toNamed.post(request);
      return toCanary && request.url === canaryUrl(stage.PUBLIC_URL) ? toCanary.post(request) : post(request);
    },
    ...createWebhookSemaphore(),
  };
};
