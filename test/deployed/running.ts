import type { Deployed } from './cloud.ts';

/** The clouds that the current test file has started. */
export const running: Deployed[] = [];

/** Returns the cloud that was started last. */
export const latest = (): Deployed => {
  const cloud = running.at(-1);
  if (!cloud) throw new Error('no cloud was started');
  return cloud;
};
