import { type Failpoint, failpoints } from '#shared/runtime/failpoints.ts';
import type { Fault } from '../fault.ts';

const during = (step: string): Failpoint[] => failpoints.filter((name) => name.startsWith(`${step}.`));
const ingest = during('ingest');
const sweeping = during('sweep');
const crashAt = (...crashes: Failpoint[]) => ({ crashes, crash: 0.5 });

/** Faults in processes and clocks, and unavailable keys. */
export const ofProcesses: readonly Fault[] = [
  { title: 'nothing fails: each fall is delivered once' },
  {
    title: 'a process dies while accepting a message: acknowledged messages are delivered',
    rates: crashAt(...ingest),
  },
  {
    title: 'a process dies before it has decided: another process judges the message',
    rates: crashAt('process.judged'),
  },
  {
    title: 'a process dies after it has decided: another process applies the decision',
    rates: crashAt('process.decided'),
  },
  {
    title: 'a process dies before its deliveries are written: another process writes them',
    rates: crashAt('process.hits_written'),
  },
  {
    title: 'a process dies before its deliveries are queued: the message is received again, and they are queued',
    rates: crashAt('process.deliveries_written'),
  },
  {
    title: 'a process dies before it deletes a message: nothing is delivered twice',
    rates: crashAt('process.applied'),
  },
  {
    title: 'a process dies between claim and request: the claim expires, and another process sends the request',
    rates: crashAt('deliver.claimed'),
  },
  {
    title: 'a process dies between request and record: the receiver gets the same webhook-id again',
    rates: crashAt('deliver.sent', 'deliver.reported', 'deliver.originals_ended'),
  },
  {
    title: 'a process dies after recording a failed attempt: the delivery is retried',
    rates: { ...crashAt('deliver.recorded', 'deliver.rescheduled'), trouble: 0.3 },
  },
  {
    title: 'the sweep dies: the next sweep finds everything due',
    rates: { ...crashAt(...sweeping), trouble: 0.7 },
    settings: { RETRY_SCHEDULE: [0, ...Array.from({ length: 12 }, () => 1_000)] },
    steps: 3,
    stepMs: 1_300_000,
  },
  {
    title: 'processes die at any point: every fall is delivered',
    rates: { crashes: failpoints, crash: 0.15 },
    steps: 1,
  },
  {
    title: 'the host clock jumps by hours, forward and back: deliveries are sent once it is correct at the latest',
    rates: { crashes: ['deliver.claimed', 'deliver.sent'], crash: 0.2, clockJump: 0.8 },
    steps: 1,
  },
  {
    title:
      'the keys of secrets are unavailable for an hour: nothing is sent unsigned, and everything is delivered later',
    rates: { keys: 1 },
    lastsMs: 3_600_000,
  },
];
