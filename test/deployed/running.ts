import type { Deployed } from './cloud.ts';

/** The clouds started by the current test file. */
export const running: Deployed[] = [];

/** Returns the most recently started cloud. */
export const latest = (): Deployed => {
  const cloud = running.at(-1);
  if (!cloud) throw new Error('no cloud was started');
  return cloud;
};
