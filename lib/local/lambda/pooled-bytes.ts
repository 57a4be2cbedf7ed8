import { randomBytes } from 'node:crypto';

/** As much as one call of the system's generator brings. */
const POOL = 4_096;

/** Random bytes of the system's generator, some thousand at a time: most callers want a few, and the call is what costs. */
export const pooledBytes = (): ((bytes: number) => Uint8Array) => {
  let pool = randomBytes(POOL);
  let used = 0;
  return (bytes) => {
    if (bytes > POOL) return randomBytes(bytes);
    if (used + bytes > POOL) {
      pool = randomBytes(POOL);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
};
