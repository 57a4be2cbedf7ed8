import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { AT_A_TIME, type Held } from '../domain/breaker.ts';
import type { TargetPolicy } from './addresses.ts';
import { type Attempt, createPoster, type PosterOptions } from './connect.ts';
import { doorsOf } from './own-doors.ts';
import { resolveAll } from './resolve.ts';
import { checkTarget } from './url-policy.ts';

/** The only way out to the world: every call is to a vetted target, whoever asks. */
export type WebhookClient = {
  /** Checks a target when a webhook is created: its form, and what its name resolves to. */
  check: (url: string) => ReturnType<typeof checkTarget>;
  post: (request: { url: string; headers: Record<string, string>; body: string }) => Promise<Attempt>;
  /** A permit for one of the requests that this process makes for one webhook. */
  acquire: Semaphore<SlotPool>['acquire'];
};

/** What the requests of this process for one webhook share. */
export type SlotPool = {
  /** One is under way that no other process knows of. */
  isUnlisted: boolean;
  /** Slots of the webhook that are not in use just now, and how many were looked for: each begins at another one. */
  kept: Held[];
  sought: number;
  /** Those who look for a slot; called when there may be one. */
  seekers: Set<{ wake: () => void }>;
};
/** Permits of this process, for each webhook. */
export const createWebhookSemaphore = (): Semaphore<SlotPool> =>
  createSemaphore(AT_A_TIME, () => ({ isUnlisted: false, kept: [], sought: 0, seekers: new Set() }));

type Stage = {
  ALLOW_PRIVATE_TARGETS: boolean;
  ALLOWED_TARGET_RANGES: readonly string[];
  DELIVERY_DEADLINE_SECONDS: number;
  PUBLIC_URL: string;
  OWN_URLS: readonly string[];
};

/** Names and certificates other than those of this machine. `allowLoopback`: receivers may be on it, as on one's own. */
type World = Pick<PosterOptions, 'resolve' | 'agentOptions'> & { allowLoopback?: boolean };

/** The way out as a stage allows it; never to the service itself, and to loopback only if the host says so. */
export const createWebhookClient = (stage: Stage, { allowLoopback = false, ...world }: World = {}): WebhookClient => {
  const { resolve = resolveAll } = world;
  const policy: TargetPolicy = {
    allowPrivate: stage.ALLOW_PRIVATE_TARGETS,
    allowedRanges: stage.ALLOWED_TARGET_RANGES,
    allowLoopback,
    own: doorsOf([stage.PUBLIC_URL, ...stage.OWN_URLS]),
  };
  const { post } = createPoster({ ...world, policy, deadlineMs: stage.DELIVERY_DEADLINE_SECONDS * 1_000 });
  return { check: (url) => checkTarget(url, policy, resolve), post, ...createWebhookSemaphore() };
};
