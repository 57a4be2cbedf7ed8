import { percentile } from '../bench/figures.ts';
import type { Report } from './run-fault.ts';

/** The totals for all runs with one fault. */
export type Tally = {
  runs: number;
  lost: number;
  duplicated: number;
  recovered: number;
  injected: number;
  waits: number[];
  /** The number of runs in which each alarm fired. */
  fired: Record<string, number>;
  /** The failed checks with their seeds. */
  broken: string[];
};
export const emptyTally = (): Tally => ({
  runs: 0,
  lost: 0,
  duplicated: 0,
  recovered: 0,
  injected: 0,
  waits: [],
  fired: {},
  broken: [],
});

const countAlarm = (into: Tally, alarm: string, runs: number): void => {
  into.fired[alarm] = (into.fired[alarm] ?? 0) + runs;
};

const problemsOf = ({ lost, unexpected, wrong, renamed, unnoticed, pending }: Report) => {
  const failed = Object.entries({ lost, unexpected, wrong, renamed, unnoticed }).filter(([, list]) => list.length > 0);
  return [
    ...failed.map(([name, list]) => `${name}: ${list.join(', ')}`),
    ...(pending > 0 ? [`pending: ${pending}`] : []),
  ];
};

/** Adds a run's report. */
export const count = (tally: Tally, seed: number, report: Report): void => {
  tally.runs += 1;
  tally.lost += report.lost.length;
  tally.duplicated += report.duplicated;
  tally.recovered += report.recovered;
  tally.injected += report.injected;
  tally.waits.push(...report.waits);
  for (const alarm of report.fired) countAlarm(tally, alarm, 1);
  tally.broken.push(...problemsOf(report).map((problem) => `seed ${seed}: ${problem}`));
};

/** Adds another process's tally. */
export const merge = (into: Tally, tally: Tally): void => {
  for (const name of ['runs', 'lost', 'duplicated', 'recovered', 'injected'] as const) into[name] += tally[name];
  into.waits.push(...tally.waits);
  for (const [alarm, runs] of Object.entries(tally.fired)) countAlarm(into, alarm, runs);
  into.broken.push(...tally.broken);
};

const columns = ['lost', 'duplicated', 'recovered', 'p50', 'p99', 'injected'];
const shown = (values: readonly (string | number)[], title: string): string =>
  `${values.map((value) => String(value).padStart(10)).join(' ')}  ${title}`;
export const heading = shown(columns, 'fault');
/** Formats a table row. Times are in ms, from the 202 to the first success. */
export const lineOf = (title: string, { lost, duplicated, recovered, injected, waits, fired }: Tally): string => {
  // Failed deliveries have no times.
  const [p50, p99] = [50, 99].map((percent) => (waits.length > 0 ? percentile(waits, percent).toFixed(0) : '-'));
  const alarms = Object.entries(fired).map(([id, runs]) => `${id} ${runs}`);
  const firedAlarms = alarms.length > 0 ? ` [${alarms.join(', ')}]` : '';
  return shown([lost, duplicated, recovered, p50 ?? '', p99 ?? '', injected], title + firedAlarms);
};
