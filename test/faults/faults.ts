import type { Faults } from './chaos.ts';

const ingest = [1, 2];
const processing = [10, 11, 12, 13, 14];
const delivering = [20, 21, 22, 23, 24];
const sweeping = [30, 31];
const crashAt = (...crashes: number[]): Faults => ({ crashes, crash: 0.5 });

/** Each fault by what holds in spite of it. */
export const faults: readonly (readonly [title: string, faults: Faults])[] = [
  ['nothing goes wrong: each fall is told once', {}],
  ['a process dies while it accepts a message: what was acknowledged is told', crashAt(...ingest)],
  ['a process dies before it has decided: the message is judged by another', crashAt(10)],
  ['a process dies after it has decided: the decision is carried out by another', crashAt(11)],
  ['a process dies before its deliveries are written: another writes them', crashAt(12)],
  ['a process dies before it rings for its deliveries: the sweeper does', crashAt(13)],
  ['a process dies before a message is done: nothing is told twice for it', crashAt(14)],
  ['a process dies between claim and request: the claim lapses, and another sends', crashAt(20)],
  ['a process dies between request and record: the receiver sees the same webhook-id again', crashAt(21, 22)],
  ['a process dies after the record: what is to be tried again is tried', crashAt(23, 24)],
  ['the sweeper dies: the next one rings', { ...crashAt(...sweeping), lostBell: 0.5 }],
  ['processes die anywhere', { crashes: [...ingest, ...processing, ...delivering, ...sweeping], crash: 0.1 }],
  ['the table refuses one call of ten', { throttle: 0.1 }],
  ['the table writes, and its answer is lost', { lostAnswer: 0.1 }],
  ['every second bell is lost', { lostBell: 0.5 }],
  ['every bell is lost', { lostBell: 1 }],
  ['every bell rings twice', { doubleBell: 1 }],
  ['bells ring late and out of order', { lateBell: 0.7, doubleBell: 0.3 }],
  ['receivers answer with trouble', { trouble: 0.6 }],
  ['receivers are in trouble all the time: what waits comes when they are well', { trouble: 1 }],
  ['receivers take requests and never answer', { hang: 0.2 }],
  [
    'everything at once',
    {
      crashes: [...ingest, ...processing, ...delivering, ...sweeping],
      ...{ crash: 0.05, throttle: 0.03, lostAnswer: 0.03, lostBell: 0.2, doubleBell: 0.2, lateBell: 0.2, trouble: 0.3 },
    },
  ],
];
