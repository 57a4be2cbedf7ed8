import { randomBytes } from 'node:crypto';

/** The number of bytes requested from the system at once. */
const POOL = 4_096;

/**
 * Returns a function that returns random bytes. They are requested in bulk, because callers need few at a time and each
 * request is slow.
 */
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
