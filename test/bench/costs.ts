import { type Consumed, consumed } from './consumed.ts';
import { assumed, prices } from './prices.ts';

/** USD per kind of cost. */
export type Costs = Record<
  'front door' | 'functions' | 'table' | 'queues' | 'storage' | 'backups' | 'logs' | 'keys' | 'traffic' | 'alarms',
  number
>;

const DAYS_OF_MONTH = 365.25 / 12;
const MINUTES_OF_MONTH = DAYS_OF_MONTH * 24 * 60;
const GIGABYTE = 1e9;

/** The way in which a device sends: by HTTP, or by MQTT to its topic, or by MQTT with Basic Ingest. */
export type Way = 'HTTP' | 'MQTT' | 'Basic Ingest';
const { mqttRule, mqttAction } = prices;
const callOf: Record<Way, number> = {
  HTTP: prices.httpRequest,
  MQTT: prices.mqttMessage + mqttRule + mqttAction,
  'Basic Ingest': mqttRule + mqttAction,
};

type Work = Consumed & {
  /** Calls of devices with their billed time (ms), other invocations with theirs, and deliveries. */
  calls: number;
  callMilliseconds: number;
  invocations: number;
  milliseconds: number;
  deliveries: number;
  /** Lines of the log for tracing: one for each decision, and one for each attempt. */
  lines: number;
};

const { milliseconds: ms, batch } = assumed;
/** The work of calls of devices. Each call is an invocation, and the messages of a batch are processed by one more. */
const said = (calls: number, each: number) => ({
  calls,
  callMilliseconds: calls * ms.accept,
  invocations: calls / batch,
  milliseconds: calls * each,
  deliveries: 0,
  lines: 0,
});
const told = (work: ReturnType<typeof said>, deliveries: number) => ({
  ...work,
  invocations: work.invocations + deliveries / batch,
  milliseconds: work.milliseconds + deliveries * ms.deliver,
  deliveries,
  lines: work.calls + deliveries,
});
const alone = (milliseconds: number) => ({
  calls: 0,
  callMilliseconds: 0,
  invocations: 1,
  milliseconds,
  deliveries: 0,
  lines: 0,
});

/** The work for one fall, report and so on. */
export const works = {
  fall: { ...consumed.fall, ...told(said(1, ms.event), 1) },
  wholeFall: { ...consumed.wholeFall, ...told(said(4, ms.event), 1) },
  /** The function that takes a report answers it by itself. */
  report: { ...consumed.report, ...said(1, 0), callMilliseconds: ms.report, invocations: 0 },
  /** The sweep is invoked anyway. */
  fiveReports: { ...consumed.fiveReports, ...said(1, 0), callMilliseconds: ms.fiveReports, invocations: 0 },
  look: { ...consumed.look, ...alone(ms.look), invocations: 0 },
  entry: { ...consumed.entry, ...alone(ms.entry), invocations: 0 },
  check: { ...consumed.check, ...alone(ms.check) },
  sweep: { ...consumed.sweep, ...alone(ms.sweep) },
  /** A device connects, or its connection is checked again. */
  admit: { ...consumed.admit, ...alone(ms.admit) },
} as const satisfies Record<string, Work>;

/** Requests to SQS per message: it is sent alone, and received and deleted in a batch. */
const REQUESTS = 1 + 2 / batch;

/** The cost of one piece of work, including the storage of its items until they expire. */
export const costsOf = (work: Work, way: Way = 'HTTP'): Costs => {
  const { read, write, fifo, standard, kept120, kept30, deliveries, lines, ...run } = work;
  const { calls, callMilliseconds, invocations, milliseconds } = run;
  const gigabyteMonths = (kept120 * 120 + kept30 * 30) / DAYS_OF_MONTH / GIGABYTE;
  const seconds = (milliseconds * assumed.memoryGigabytes + callMilliseconds * assumed.deviceMemoryGigabytes) / 1_000;
  const answered = way === 'HTTP' ? calls : 0;
  const fair = prices.queueRequest + prices.fairQueueSurcharge;
  const logged = invocations * assumed.logBytes + lines * assumed.lineBytes;
  return {
    'front door': calls * callOf[way],
    functions: (calls + invocations) * prices.invocation + seconds * prices.gigabyteSecond,
    table: read * prices.tableReadUnit + write * prices.tableWriteUnit,
    queues: REQUESTS * (fifo * prices.fifoRequest + standard * fair),
    storage: gigabyteMonths * prices.tableGigabyteMonth,
    backups: gigabyteMonths * prices.backupGigabyteMonth,
    // AWS IoT logs nothing for a message, and its acknowledgements are free.
    logs: (logged / GIGABYTE) * prices.logGigabyte,
    keys: 0,
    traffic: ((answered * assumed.answerBytes + deliveries * assumed.requestBytes) / GIGABYTE) * prices.trafficGigabyte,
    alarms: 0,
  };
};

const names = Object.keys(costsOf(works.sweep)) as (keyof Costs)[];
const add = (...all: readonly Costs[]): Costs =>
  Object.fromEntries(names.map((name) => [name, all.reduce((sum, costs) => sum + costs[name], 0)])) as Costs;
export const times = (count: number, costs: Costs): Costs =>
  Object.fromEntries(names.map((name) => [name, count * costs[name]])) as Costs;
export const totalOf = (costs: Costs): number => names.reduce((sum, name) => sum + costs[name], 0);

/** The additional cost of the cold starts, for the invocations of one piece of work. */
export const coldStartsOf = ({ calls, invocations }: Work): number =>
  (calls + invocations) * assumed.coldStart.share * (assumed.coldStart.milliseconds / 1_000) * prices.gigabyteSecond;

/**
 * Looks per month at a sensor that reports once a minute. Each is due 375 s after the last write, which is up to 2
 * minutes older than the look.
 */
const LOOKS_OF_MONTH = MINUTES_OF_MONTH / 5;
const FALLS_OF_MONTH = DAYS_OF_MONTH / 7;
/** Each sweep has an open fall checked, which is over after some minutes. */
const CHECKS_OF_FALL = 5;

/** The monthly cost of looking whether a sensor is silent, and of checking it. */
export const lookingMonthOf = (): Costs =>
  add(
    times(LOOKS_OF_MONTH, costsOf(works.look)),
    times(MINUTES_OF_MONTH, costsOf(works.entry)),
    times(FALLS_OF_MONTH * CHECKS_OF_FALL, costsOf(works.check)),
  );

/** The monthly cost without any messages. */
const idle = (): Costs => {
  const receives = assumed.queues * assumed.idlePollers * 3 * MINUTES_OF_MONTH;
  const keyRequests = (assumed.processes * MINUTES_OF_MONTH) / 5;
  return add(times(MINUTES_OF_MONTH, costsOf(works.sweep)), {
    ...times(0, costsOf(works.sweep)),
    queues: receives * prices.queueRequest,
    keys: prices.keyMonth + keyRequests * prices.keyRequest,
    alarms: assumed.alarms * prices.alarmMonth + assumed.metrics * prices.metricMonth,
  });
};

/** The monthly cost of a connection, whose right is checked repeatedly. */
const connected = (): Costs => {
  const admitted = times(MINUTES_OF_MONTH / assumed.admittedMinutes, costsOf(works.admit));
  return { ...admitted, 'front door': MINUTES_OF_MONTH * prices.connectionMinute };
};

/** How the reports of five minutes are sent: each in a call of its own, or all in one. */
export type Calls = 'report' | 'fiveReports';
const SECONDS_OF_CALLS = { report: 60, fiveReports: 300 } as const;

/**
 * The cost of a month with this number of sensors, which report once a minute and have a fall a week each, in steady
 * state.
 */
export const monthOf = (sensors: number, way: Way = 'HTTP', calls: Calls = 'report'): Costs =>
  add(
    idle(),
    times(way === 'HTTP' ? 0 : sensors, connected()),
    times((sensors * MINUTES_OF_MONTH * 60) / SECONDS_OF_CALLS[calls], costsOf(works[calls], way)),
    times(sensors, lookingMonthOf()),
    times(sensors * FALLS_OF_MONTH, costsOf(works.wholeFall, way)),
  );
