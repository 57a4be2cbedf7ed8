import { AT_A_TIME } from '../domain/breaker.ts';
import { type Attempt, createPoster, type PosterOptions } from './connect.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { checkTarget, resolveAll, type TargetPolicy } from './url-policy.ts';

/** The only way out to the world: every call is to a vetted target, whoever asks. */
export type Callee = {
  /** Checks a target when a webhook is created: its form, and what its name resolves to. */
  check: (url: string) => ReturnType<typeof checkTarget>;
  post: (request: { url: string; headers: Record<string, string>; body: string }) => Promise<Attempt>;
  /** A turn among the requests that this process makes for one webhook. */
  enter: Limiter['enter'];
};

type Stage = {
  ALLOW_PRIVATE_TARGETS: boolean;
  ALLOWED_TARGET_RANGES: readonly string[];
  DELIVERY_DEADLINE_SECONDS: number;
};

/** `world`: names and certificates other than those of this machine. */
export const createCallee = (stage: Stage, world: Pick<PosterOptions, 'resolve' | 'agentOptions'> = {}): Callee => {
  const { resolve = resolveAll } = world;
  const policy: TargetPolicy = {
    allowPrivate: stage.ALLOW_PRIVATE_TARGETS,
    allowedRanges: stage.ALLOWED_TARGET_RANGES,
  };
  const { post } = createPoster({ ...world, policy, deadlineMs: stage.DELIVERY_DEADLINE_SECONDS * 1_000 });
  return { check: (url) => checkTarget(url, policy, resolve), post, ...createLimiter(AT_A_TIME) };
};
