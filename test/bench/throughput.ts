import { join } from 'node:path';
import { adminOf } from '../fixtures/home.ts';
import { BASELINE, checkOutBaseline } from './baseline.ts';
import { createBenchHome } from './bench-home.ts';
import { startBenchHost, startRecorder } from './bench-site.ts';
import { type Figure, median } from './figures.ts';
import { fullLoad, loadAt, reports } from './loads.ts';

const ROUNDS = 3;
const MODERATE_PER_SECOND = 20;
const EVENTS = { one: 1_000, ten: 200 };

/** Measures all loads over loopback on a new host that shares the cores with the sender and the receiver. */
const measureHost = async (dataDir: string, program?: string) => {
  const ear = await startRecorder();
  const host = await startBenchHost(dataDir, '0', program);
  try {
    const loaded = { pid: host.pid, ear };
    const admin = await adminOf(host.url);
    const one = await createBenchHome(admin, 'maple', ear, 1);
    const ten = await createBenchHome(admin, 'rowan', ear, 10);
    return {
      moderate: await loadAt(loaded, one, MODERATE_PER_SECOND),
      one: await fullLoad(loaded, one, EVENTS.one),
      ten: await fullLoad(loaded, ten, EVENTS.ten),
      reports: await reports(loaded, one),
    };
  } finally {
    await host.end('SIGTERM');
    await ear.receiver.stop();
  }
};

type Measured = Awaited<ReturnType<typeof measureHost>>;

type Bar = { max?: number; min?: number };

/** `bar` is the target for the value, and `ratio` the target for the ratio to the baseline. */
type Row = { name: string; unit: string; of: (found: Measured) => number; bar?: Bar; ratio?: Bar };
const rows: readonly Row[] = [
  {
    name: '20 events/s: request to receiver, p50',
    unit: 'ms',
    of: ({ moderate }) => moderate.requestP50,
    bar: { max: 6 },
  },
  {
    name: '20 events/s: request to receiver, p95',
    unit: 'ms',
    of: ({ moderate }) => moderate.requestP95,
    bar: { max: 10 },
  },
  { name: '20 events/s: 202 to receiver, p50', unit: 'ms', of: ({ moderate }) => moderate.p50, bar: { max: 1 } },
  { name: '20 events/s: 202 to receiver, p95', unit: 'ms', of: ({ moderate }) => moderate.p95, bar: { max: 10 } },
  { name: '20 events/s: CPU of 1,000 deliveries', unit: 's', of: ({ moderate }) => moderate.cpu, ratio: { max: 0.28 } },
  { name: 'fan-out 1: CPU of 1,000 deliveries', unit: 's', of: ({ one }) => one.cpu, ratio: { max: 0.13 } },
  { name: 'fan-out 10: CPU of 1,000 deliveries', unit: 's', of: ({ ten }) => ten.cpu, ratio: { max: 0.08 } },
  { name: 'fan-out 1: deliveries', unit: '1/s', of: ({ one }) => one.perSecond, ratio: { min: 5.5 } },
  { name: 'fan-out 10: deliveries', unit: '1/s', of: ({ ten }) => ten.perSecond, ratio: { min: 9 } },
  { name: 'fan-out 1: 202 to receiver, p50', unit: 'ms', of: ({ one }) => one.p50, bar: { max: 200 } },
  { name: 'fan-out 1: 202 to receiver, p95', unit: 'ms', of: ({ one }) => one.p95 },
  { name: 'fan-out 10: 202 to receiver, p50', unit: 'ms', of: ({ ten }) => ten.p50, bar: { max: 350 } },
  { name: 'fan-out 10: 202 to receiver, p95', unit: 'ms', of: ({ ten }) => ten.p95 },
  { name: '1,000 unchanged reports over HTTP: CPU', unit: 's', of: (found) => found.reports, bar: { max: 0.5 } },
];

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

const figuresOf = (ours: readonly Measured[], theirs: readonly Measured[]): Figure[] =>
  rows.flatMap(({ name, unit, of, bar = {}, ratio = {} }): Figure[] => {
    const here = ours.map(of);
    const value: Figure = { name, value: median(here), unit, ...bar, note: `rounds: ${here.map(short).join(', ')}` };
    if (theirs.length === 0) return [value];
    const there = theirs.map(of);
    // The two hosts in a round were measured one right after the other.
    const ratios = here.map((value, round) => value / (there[round] ?? Number.NaN));
    const note = `baseline ${short(median(there))} ${unit}; rounds: ${ratios.map((ratio) => ratio.toPrecision(3)).join(', ')}`;
    return [value, { name, value: median(ratios), unit: `x ${BASELINE}`, ...ratio, note }];
  });

const lostIn = (name: string, rounds: readonly Measured[], bar: Bar): Figure[] => {
  const sum = (of: (found: Measured) => number) => rounds.reduce((all, found) => all + of(found), 0);
  const unit = `of ${rounds.length * (EVENTS.one + 10 * EVENTS.ten)}`;
  return [
    { name: `lost${name}`, value: sum(({ one, ten }) => one.lost + ten.lost), unit, ...bar },
    { name: `delivered twice${name}`, value: sum(({ one, ten }) => one.twice + ten.twice), unit },
  ];
};

/** Measures the loads alternately on hosts from this checkout and the baseline. Every delivery is reconciled by id. */
export const measureThroughput = async (folder: string): Promise<Figure[]> => {
  const baseline = await checkOutBaseline(folder);
  if ('why' in baseline) console.error(baseline.why);
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    console.error(`throughput, round ${round} of ${ROUNDS} ...`);
    if ('program' in baseline) theirs.push(await measureHost(join(folder, `baseline-${round}`), baseline.program));
    ours.push(await measureHost(join(folder, `throughput-${round}`)));
  }
  const ofBaseline = theirs.length === 0 ? [] : lostIn(`, ${BASELINE}`, theirs, {});
  return [...figuresOf(ours, theirs), ...lostIn('', ours, { max: 0 }), ...ofBaseline];
};
