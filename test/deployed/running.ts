import type { Deployed } from './cloud.ts';

/** The clouds of the artefact that a file of tests has started. */
export const running: Deployed[] = [];

/** The one that was started last. */
export const latest = (): Deployed => {
  const cloud = running.at(-1);
  if (!cloud) throw new Error('no cloud was started');
  return cloud;
};
