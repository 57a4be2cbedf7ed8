/** Places between two steps that belong together. The fault suite lets a process die at each of them. */
export const failpoints = [
  'ingest.read',
  'ingest.noted',
  'ingest.enqueued',
  'process.judged',
  'process.decided',
  'process.hits_written',
  'process.deliveries_written',
  'process.applied',
  'deliver.claimed',
  'deliver.sent',
  'deliver.acknowledged',
  'deliver.reported',
  'deliver.originals_ended',
  'deliver.recorded',
  'deliver.rescheduled',
  'sweep.begun',
  'sweep.looked',
  'sweep.enqueued',
] as const;
export type Failpoint = (typeof failpoints)[number];
