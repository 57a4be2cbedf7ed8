import type { Deps } from '#shared/runtime/deps.ts';
import type { deliver } from './contract.ts';

export type DeliverDeps = Deps<(typeof deliver)['uses'][number]>;

/** The time (ms) a task leaves for writes in progress. */
export const MARGIN_MS = 5_000;

/** A random number in [0, 1). */
export const randomFraction = ({ random }: DeliverDeps): number => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
/** A random 8-character string that identifies a lease. */
export const leaseToken = ({ random }: Pick<DeliverDeps, 'random'>): string =>
  Buffer.from(random(6)).toString('base64url');
