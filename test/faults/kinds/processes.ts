import type { Fault } from '../fault.ts';

const ingest = [1, 2];
const processing = [10, 11, 12, 13, 14];
const delivering = [20, 21, 22, 23, 24, 25];
const sweeping = [30, 31];
const crashAt = (...crashes: number[]) => ({ crashes, crash: 0.5 });
export const everywhere = [...ingest, ...processing, ...delivering, ...sweeping];

/** Processes die, and clocks are wrong. */
export const ofProcesses: readonly Fault[] = [
  { title: 'nothing goes wrong: each fall is told once' },
  {
    title: 'a process dies while it accepts a message: what was acknowledged is told',
    rates: crashAt(...ingest),
  },
  { title: 'a process dies before it has decided: the message is judged by another', rates: crashAt(10) },
  { title: 'a process dies after it has decided: the decision is carried out by another', rates: crashAt(11) },
  { title: 'a process dies before its deliveries are written: another writes them', rates: crashAt(12) },
  {
    title: 'a process dies before its deliveries are on their queue: the message comes again, and they are',
    rates: crashAt(13),
  },
  { title: 'a process dies before a message is done: nothing is told twice for it', rates: crashAt(14) },
  {
    title: 'a process dies between claim and request: the claim lapses, and another sends',
    rates: crashAt(20),
  },
  {
    title: 'a process dies between request and record: the receiver sees the same webhook-id again',
    rates: crashAt(21, 22, 25),
  },
  {
    title: 'a process dies after the record: what is to be tried again is tried',
    rates: { ...crashAt(23, 24), trouble: 0.3 },
  },
  {
    title: 'the sweep dies: the next one finds what is due',
    rates: { ...crashAt(...sweeping), trouble: 0.7 },
    settings: { RETRY_SCHEDULE: [0, ...Array.from({ length: 12 }, () => 1_000)] },
    ...{ steps: 3, stepMs: 1_300_000 },
  },
  { title: 'processes die anywhere', rates: { crashes: everywhere, crash: 0.15 }, steps: 1 },
  {
    title: 'the clock of the host jumps by hours, forth and back: what waits is sent, at the latest when it is right',
    rates: { crashes: [20, 21], crash: 0.2, clockJump: 0.8 },
    steps: 1,
  },
];
