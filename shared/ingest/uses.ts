import type { Deps } from '../runtime/deps.ts';

/** What `ingest` uses, for the contracts of its callers. */
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
