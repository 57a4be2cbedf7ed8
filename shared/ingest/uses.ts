import type { Deps } from '../runtime/deps.ts';

/** What `ingest` uses, to be listed in its callers' contracts. */
export const ingestUses = [
  'states.get',
  'states.recordTimes',
  'devices.noteCall',
  'devices.holdBack',
  'enqueue:events',
  'watch:sensors',
  'measure',
] as const;
export type IngestDeps = Deps<(typeof ingestUses)[number]>;
