import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { canaryUrl } from '../domain/canary.ts';
import { AT_A_TIME, type Held } from '../domain/delivery/breaker.ts';
import type { TargetPolicy } from './addresses.ts';
import { type ClientOptions, createClient } from './connect.ts';
import type { Attempt } from './http-attempt.ts';
import { endpointsOf } from './own-endpoints.ts';
import { resolveAll } from './resolve.ts';
import { checkTarget } from './url-policy.ts';

/** The only client for requests to addresses that customers choose. Every request goes to a checked target. */
export type WebhookClient = {
  /** Checks the target of a webhook when it is saved: its form, and the addresses of its name. */
  check: (url: string) => ReturnType<typeof checkTarget>;
  post: (request: { url: string; headers: Record<string, string>; body: string | Uint8Array }) => Promise<Attempt>;
  /** Acquires a permit for one of the requests that this process may make to one webhook at the same time. */
  acquire: Semaphore<SlotPool>['acquire'];
};

/** A delivery that waits in this process, for a slot or for the result of a probe. `wake` ends its pause. */
type Seeker = { wake: () => void; seeksSlot: boolean };

/** What the requests of this process to one webhook share. */
export type SlotPool = {
  /** A request without a slot is under way, which other processes do not see. */
  isUnlisted: boolean;
  /**
   * The slots of the webhook that this process holds and does not use now, and how many searches for a slot there were:
   * each search starts at another slot.
   */
  kept: Held[];
  sought: number;
  /** They are woken when a slot may be free. */
  seekers: Set<Seeker>;
};
/** Makes the semaphore that limits the requests of this process to each webhook. */
export const createWebhookSemaphore = (): Semaphore<SlotPool> =>
  createSemaphore(AT_A_TIME, () => ({ isUnlisted: false, kept: [], sought: 0, seekers: new Set() }));

type Stage = {
  ALLOW_PRIVATE_TARGETS: boolean;
  ALLOWED_TARGET_RANGES: readonly string[];
  DELIVERY_DEADLINE_SECONDS: number;
  PUBLIC_URL: string;
  OWN_URLS: readonly string[];
  CANARY: boolean;
};

/** Replaces this machine's name resolution and certificates. `allowLoopback`: receivers may be on this machine. */
type World = Pick<ClientOptions, 'resolve' | 'agentOptions'> & { allowLoopback?: boolean };

/**
 * Makes the webhook client of a stage. It never calls the service itself, and calls loopback only if the host allows
 * it.
 */
export const createWebhookClient = (stage: Stage, { allowLoopback = false, ...world }: World = {}): WebhookClient => {
  const { resolve = resolveAll } = world;
  const policy: TargetPolicy = {
    allowPrivate: stage.ALLOW_PRIVATE_TARGETS,
    allowedRanges: stage.ALLOWED_TARGET_RANGES,
    allowLoopback,
    own: endpointsOf([stage.PUBLIC_URL, ...stage.OWN_URLS]),
  };
  const rest = { ...world, deadlineMs: stage.DELIVERY_DEADLINE_SECONDS * 1_000 };
  const { post } = createClient({ ...rest, policy });
  // The webhook of the canary comes back to the service itself, to nothing but this address. No user may name it.
  const toCanary = stage.CANARY ? createClient({ ...rest, policy: { ...policy, own: [] } }) : null;
  return {
    check: (url) => checkTarget(url, policy, resolve),
    post: (request) =>
      toCanary && request.url === canaryUrl(stage.PUBLIC_URL) ? toCanary.post(request) : post(request),
    ...createWebhookSemaphore(),
  };
};
