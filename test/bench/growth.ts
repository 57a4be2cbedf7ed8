import { deliver } from '../../functions/workers/deliver/contract.ts';
import { processing } from '../../functions/workers/process/contract.ts';
import { stageFrom } from '../../lib/aws/settings/stage.ts';
import { prices } from '../../lib/tools/aws/prices.ts';
import { defaultQuotas } from '../../shared/domain/identity/quota.ts';
import { DUE_SHARDS } from '../../shared/store/table.ts';
import { assumed, limits, pages, readUnit, SECONDS_OF_MONTH, work, world } from './growth-facts.ts';

const sizes = [10_000, 100_000, 1_000_000] as const;
/** The due index is designed for this number of events a second, each with a delivery. */
const EVENTS_PER_SECOND = 10_000;

const timesOf = (sensors: number) => {
  const perSecond = (seconds: number) => sensors / seconds;
  const falls = perSecond(world.secondsBetweenFalls);
  const reports = perSecond(world.secondsBetweenReports);
  const looks = perSecond(work.secondsBetweenLooks);
  const ofCustomer = Math.min(sensors, defaultQuotas.sensors);
  return {
    ...{ falls, reports, looks, stateWrites: perSecond(work.secondsBetweenWrites) },
    entries: perSecond(work.secondsBetweenSweeps),
    checks: work.checksOfFall * falls,
    calls: reports + world.messagesOfFall * falls,
    queuedReports: reports * world.queuedShare,
    queued: reports * world.queuedShare + world.messagesOfFall * falls,
    /** The part of all sensors that the largest customer can have by the quotas. */
    share: ofCustomer / sensors,
    /** The events a second when all sensors of the largest customer fall silent, and a rule watches that. */
    blackout: ofCustomer / world.secondsOfBlackout,
  };
};
type Times = ReturnType<typeof timesOf>;

type Limit = {
  name: string;
  most: number;
  unit: string;
  load: (times: Times) => number;
  /** What to do when the limit is reached, and what that costs per month (USD); a negative amount is saved. */
  remedy: string;
  costs?: (times: Times) => number;
};

const monthOfReads = (perSecond: number): number => perSecond * SECONDS_OF_MONTH * readUnit;
const perSecondOf = ({ concurrency, batchSize }: typeof processing | typeof deliver, seconds: number): number =>
  (concurrency * batchSize) / seconds;
const page = assumed.queryOfSweep + assumed.readOfStates;

const all: Limit[] = [
  {
    ...{
      name: 'API of the devices, `deviceThrottle` as it is',
      most: stageFrom(() => undefined).deviceThrottle.rate,
      unit: 'calls/s',
    },
    load: ({ calls }) => calls,
    remedy: '`-c deviceThrottle`, up to what the account has',
  },
  {
    ...{ name: 'API Gateway, the account', most: limits.accountCalls, unit: 'calls/s' },
    load: ({ calls }) => calls,
    remedy: 'ask AWS for more',
  },
  {
    ...{ name: '`events`, SendMessage', most: limits.fifoCalls, unit: 'calls/s' },
    load: ({ queued }) => queued,
    remedy: 'a second such queue, chosen by the sensor’s id',
  },
  {
    ...{ name: '`process` on `events`', most: perSecondOf(processing, assumed.batchOfProcess), unit: 'messages/s' },
    load: ({ queued }) => queued,
    remedy: 'more `concurrency` in its contract',
  },
  {
    ...{ name: '`process` on `timers`', most: perSecondOf(processing, assumed.batchOfProcess), unit: 'checks/s' },
    load: ({ checks, blackout }) => checks + blackout,
    remedy: 'more `concurrency` in its contract',
  },
  {
    ...{
      name: '`sweep`, one page of entries after the other',
      most: (pages.sweep * assumed.sweep) / page / work.secondsBetweenSweeps,
      unit: 'entries/s',
    },
    load: ({ entries }) => entries,
    remedy: 'a sweep for each part of the shards (below)',
    costs: () => ((3 * SECONDS_OF_MONTH) / work.secondsBetweenSweeps) * prices.invocation,
  },
  {
    ...{ name: '`deliver` on `deliveries`', most: perSecondOf(deliver, assumed.batchOfDeliver), unit: 'deliveries/s' },
    load: ({ falls }) => falls,
    remedy: 'more `concurrency` in its contract',
  },
  {
    ...{ name: 'Lambda, invocations at a time', most: limits.lambdas, unit: '' },
    load: ({ calls, queued, checks, blackout, falls }) =>
      calls * assumed.accept +
      ((queued + checks + blackout) * assumed.batchOfProcess) / processing.batchSize +
      falls * assumed.batchOfDeliver,
    remedy: 'ask AWS for more',
  },
  {
    ...{ name: 'the table, read', most: limits.tableUnits, unit: 'units/s' },
    load: ({ reports, queuedReports, looks, entries, checks, blackout, falls }) =>
      reports * work.readsOfReport +
      queuedReports * work.readsOfQueued +
      looks * work.readsOfLook +
      entries * work.readsOfEntry +
      (checks + blackout) * work.readsOfCheck +
      falls * work.readsOfFall,
    remedy: 'ask AWS for more',
  },
  {
    ...{ name: 'the table, written', most: limits.tableUnits, unit: 'units/s' },
    load: ({ stateWrites, queuedReports, blackout, falls }) =>
      stateWrites +
      queuedReports * work.writesOfQueued +
      blackout * work.dueWritesOfSilence +
      falls * work.writesOfFall,
    remedy: 'ask AWS for more',
  },
  {
    ...{ name: `\`DUE#{shard}\`, one of ${DUE_SHARDS}, written`, most: limits.partitionWrites, unit: 'units/s' },
    load: ({ blackout }) => (blackout * work.dueWritesOfSilence) / DUE_SHARDS,
    remedy: 'more `DUE_SHARDS`: what is in the old ones is still found',
    costs: () => monthOfReads((DUE_SHARDS * 0.5) / 60),
  },
  {
    ...{ name: '`HEARTBEAT`, read', most: limits.partitionReads, unit: 'units/s' },
    load: ({ checks, blackout }) => checks + blackout,
    remedy: 'the sweep says in its tasks since when it has been there',
    costs: ({ checks, blackout }) => -monthOfReads(checks + blackout),
  },
  {
    ...{ name: '`C#{customerId}` of the largest customer, read', most: limits.partitionReads, unit: 'units/s' },
    load: ({ queuedReports, checks, blackout, falls, share }) =>
      (queuedReports * 0.5 + 2 * (checks + blackout + world.messagesOfFall * falls)) * share,
    remedy: 'it grows with the customer alone; quota `sensors`',
  },
  {
    ...{
      name: '`C#{customerId}#HITS`, a blackout of the largest customer',
      most: 1 / work.secondsOfHit,
      unit: 'hits/s',
    },
    load: ({ blackout }) => blackout,
    remedy: 'it takes so much longer; ids without gaps cannot be faster',
  },
  {
    ...{ name: '`C#{customerId}#RULES`, the same blackout, read', most: limits.partitionReads, unit: 'units/s' },
    load: ({ blackout }) => blackout * work.readsOfRules,
    remedy: 'keep rules in memory for some seconds',
  },
  {
    ...{ name: '`events`, messages in flight', most: limits.inFlight, unit: '' },
    // As many messages again may be received and wait for an invocation.
    load: () => 2 * processing.concurrency * processing.batchSize,
    remedy: 'ask AWS for more',
  },
];

const percent = (share: number): string =>
  `${share >= 0.1 ? Math.round(share * 100) : Number((share * 100).toPrecision(1))} %`;
const usd = (value: number): string => {
  const text = Math.abs(value) < 1 ? Math.abs(value).toFixed(2) : Math.round(Math.abs(value)).toLocaleString('en');
  return value < 0 ? `saves ${text}` : text;
};
const largest = sizes[sizes.length - 1] ?? 0;

const rowOf = ({ name, most, unit, load, remedy, costs = () => 0 }: Limit): string[] => [
  name,
  `${Math.round(most).toLocaleString('en')} ${unit}`.trim(),
  ...sizes.map((sensors) => percent(load(timesOf(sensors)) / most)),
  remedy,
  usd(costs(timesOf(largest))),
];

const grid = (rows: readonly (readonly string[])[]): string => rows.map((row) => `| ${row.join(' | ')} |`).join('\n');

const firstOf = (sensors: number): string => {
  const shares = all
    .map(({ name, most, load }) => ({ name, share: load(timesOf(sensors)) / most }))
    .toSorted((a, b) => b.share - a.share);
  const met = shares.filter(({ share }) => share > 1);
  const told = (some: typeof shares) => some.map(({ name, share }) => `${name} (${percent(share)})`).join('; ');
  const count = sensors.toLocaleString('en');
  return met.length === 0
    ? `- ${count} sensors: none; nearest are ${told(shares.slice(0, 3))}.`
    : `- ${count} sensors: ${told(met)}.`;
};

/** The loads of the due index, in writes a second. */
const dueLoads = [
  {
    name: '10,000 deliveries a second to webhooks that are switched off: each is parked',
    writes: EVENTS_PER_SECOND * work.dueWritesOfHeld,
  },
  {
    name: '1,000,000 sensors, of which all of the largest customer fall silent within a minute and come back',
    writes: timesOf(1_000_000).blackout * work.dueWritesOfSilence,
  },
];
/** All loads together. The number of shards is a power of two. */
const dueWrites = dueLoads.reduce((sum, { writes }) => sum + writes, 0);
export const neededShards = 2 ** Math.ceil(Math.log2(dueWrites / limits.partitionWrites));

/** The text of the generated part of shared/GROWTH.md. */
export const growthText = (): string =>
  [
    'Which limits are met:',
    sizes.map(firstOf).join('\n'),
    grid([
      [
        'limit',
        'most',
        ...sizes.map((sensors) => `${sensors.toLocaleString('en')} sensors`),
        'when it is met',
        'USD a month',
      ],
      ['---', '---:', ...sizes.map(() => '---:'), '---', '---:'],
      ...all.map(rowOf),
    ]),
    'Writes of the due index:',
    grid([
      ['load', 'units/s'],
      ['---', '---:'],
      ...dueLoads.map(({ name, writes }) => [name, Math.round(writes).toLocaleString('en')]),
      ['all of it at once', Math.round(dueWrites).toLocaleString('en')],
      ['shards of 1,000 units/s that it needs, as a power of two', `${neededShards}`],
    ]),
  ].join('\n\n');
