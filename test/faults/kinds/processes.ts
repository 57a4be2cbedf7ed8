import { type Failpoint, failpoints } from '../../../shared/failpoints.ts';
import type { Fault } from '../fault.ts';

const during = (step: string): Failpoint[] => failpoints.filter((name) => name.startsWith(`${step}.`));
const [ingest, sweeping] = [during('ingest'), during('sweep')];
const crashAt = (...crashes: Failpoint[]) => ({ crashes, crash: 0.5 });

/** Processes die, and clocks are wrong. */
export const ofProcesses: readonly Fault[] = [
  { title: 'nothing goes wrong: each fall is told once' },
  {
    title: 'a process dies while it accepts a message: what was acknowledged is told',
    rates: crashAt(...ingest),
  },
  { title: 'a process dies before it has decided: the message is judged by another', rates: crashAt('process.judged') },
  {
    title: 'a process dies after it has decided: the decision is carried out by another',
    rates: crashAt('process.decided'),
  },
  {
    title: 'a process dies before its deliveries are written: another writes them',
    rates: crashAt('process.hits_written'),
  },
  {
    title: 'a process dies before its deliveries are on their queue: the message comes again, and they are',
    rates: crashAt('process.deliveries_written'),
  },
  { title: 'a process dies before a message is done: nothing is told twice for it', rates: crashAt('process.applied') },
  {
    title: 'a process dies between claim and request: the claim lapses, and another sends',
    rates: crashAt('deliver.claimed'),
  },
  {
    title: 'a process dies between request and record: the receiver sees the same webhook-id again',
    rates: crashAt('deliver.sent', 'deliver.reported', 'deliver.originals_ended'),
  },
  {
    title: 'a process dies after the record: what is to be tried again is tried',
    rates: { ...crashAt('deliver.recorded', 'deliver.rescheduled'), trouble: 0.3 },
  },
  {
    title: 'the sweep dies: the next one finds what is due',
    rates: { ...crashAt(...sweeping), trouble: 0.7 },
    settings: { RETRY_SCHEDULE: [0, ...Array.from({ length: 12 }, () => 1_000)] },
    ...{ steps: 3, stepMs: 1_300_000 },
  },
  { title: 'processes die anywhere', rates: { crashes: failpoints, crash: 0.15 }, steps: 1 },
  {
    title: 'the clock of the host jumps by hours, forth and back: what waits is sent, at the latest when it is right',
    rates: { crashes: ['deliver.claimed', 'deliver.sent'], crash: 0.2, clockJump: 0.8 },
    steps: 1,
  },
];
