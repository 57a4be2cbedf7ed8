import { join } from 'node:path';
import { adminOf } from '../fixtures/home.ts';
import { createBenchHome } from './bench-home.ts';
import { type Figure, median } from './figures.ts';
import { calm, fullLoad, reports } from './loads.ts';
import { listen, startBenchHost } from './site.ts';
import { checkOutYardstick, YARDSTICK } from './yardstick.ts';

const ROUNDS = 3;
const EVENTS = { one: 1_000, ten: 200 };

/** Measures all loads on a new host, on loopback and on the same cores as what sends and receives. */
const measureHost = async (dataDir: string, program?: string) => {
  const ear = await listen();
  const host = await startBenchHost(dataDir, '0', program);
  try {
    const loaded = { pid: host.pid, ear };
    const admin = await adminOf(host.url);
    const one = await createBenchHome(admin, 'maple', ear, 1);
    const ten = await createBenchHome(admin, 'rowan', ear, 10);
    return {
      calm: await calm(loaded, one),
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

type Bar = { most?: number; least?: number };
/** `bar` is that of the value, `ratio` that of its ratio to the yardstick. */
type Row = { name: string; unit: string; of: (found: Measured) => number; bar?: Bar; ratio?: Bar };
const rows: readonly Row[] = [
  { name: '20 events/s: 202 to receiver, p50', unit: 'ms', of: ({ calm }) => calm.p50, bar: { most: 8 } },
  { name: '20 events/s: 202 to receiver, p95', unit: 'ms', of: ({ calm }) => calm.p95, bar: { most: 25 } },
  { name: 'fan-out 1: CPU of 1,000 deliveries', unit: 's', of: ({ one }) => one.cpu, ratio: { most: 0.13 } },
  { name: 'fan-out 10: CPU of 1,000 deliveries', unit: 's', of: ({ ten }) => ten.cpu, ratio: { most: 0.11 } },
  { name: 'fan-out 1: deliveries', unit: '1/s', of: ({ one }) => one.perSecond, ratio: { least: 4 } },
  { name: 'fan-out 10: deliveries', unit: '1/s', of: ({ ten }) => ten.perSecond, ratio: { least: 5 } },
  { name: 'fan-out 1: 202 to receiver, p50', unit: 'ms', of: ({ one }) => one.p50, bar: { most: 150 } },
  { name: 'fan-out 1: 202 to receiver, p95', unit: 'ms', of: ({ one }) => one.p95 },
  { name: 'fan-out 10: 202 to receiver, p50', unit: 'ms', of: ({ ten }) => ten.p50, bar: { most: 500 } },
  { name: 'fan-out 10: 202 to receiver, p95', unit: 'ms', of: ({ ten }) => ten.p95 },
  { name: '1,000 unchanged reports over HTTP: CPU', unit: 's', of: (found) => found.reports, bar: { most: 1 } },
];

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

const figuresOf = (ours: readonly Measured[], theirs: readonly Measured[]): Figure[] =>
  rows.flatMap(({ name, unit, of, bar = {}, ratio = {} }): Figure[] => {
    const here = ours.map(of);
    const value: Figure = { name, value: median(here), unit, ...bar, note: `rounds: ${here.map(short).join(', ')}` };
    if (theirs.length === 0) return [value];
    const there = theirs.map(of);
    // Those of one round were measured right after each other.
    const ratios = here.map((value, round) => value / (there[round] ?? Number.NaN));
    const note = `there ${short(median(there))} ${unit}; rounds: ${ratios.map((ratio) => ratio.toPrecision(3)).join(', ')}`;
    return [value, { name, value: median(ratios), unit: `x ${YARDSTICK}`, ...ratio, note }];
  });

const lostIn = (name: string, rounds: readonly Measured[], bar: Bar): Figure[] => {
  const sum = (of: (found: Measured) => number) => rounds.reduce((all, found) => all + of(found), 0);
  const unit = `of ${rounds.length * (EVENTS.one + 10 * EVENTS.ten)}`;
  return [
    { name: `lost${name}`, value: sum(({ one, ten }) => one.lost + ten.lost), unit, ...bar },
    { name: `delivered twice${name}`, value: sum(({ one, ten }) => one.twice + ten.twice), unit },
  ];
};

/** Measures the loads on hosts of this checkout and of the yardstick in turn; every delivery is reconciled by its id. */
export const measureThroughput = async (folder: string): Promise<Figure[]> => {
  const yardstick = await checkOutYardstick(folder);
  if ('why' in yardstick) console.error(yardstick.why);
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    console.error(`throughput, round ${round} of ${ROUNDS} ...`);
    if ('program' in yardstick) theirs.push(await measureHost(join(folder, `yardstick-${round}`), yardstick.program));
    ours.push(await measureHost(join(folder, `throughput-${round}`)));
  }
  const ofYardstick = theirs.length === 0 ? [] : lostIn(`, ${YARDSTICK}`, theirs, {});
  return [...figuresOf(ours, theirs), ...lostIn('', ours, { most: 0 }), ...ofYardstick];
};
