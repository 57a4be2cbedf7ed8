import { type Consumed, consumed } from './consumed.ts';
import { assumed, prices } from './prices.ts';

/** USD by what it is paid for. */
export type Costs = Record<
  'front door' | 'functions' | 'table' | 'queues' | 'storage' | 'backups' | 'logs' | 'keys' | 'traffic' | 'alarms',
  number
>;

const DAYS_OF_MONTH = 365.25 / 12;
const MINUTES_OF_MONTH = DAYS_OF_MONTH * 24 * 60;
const GIGABYTE = 1e9;

/** How a device speaks: over HTTP; over MQTT, to its topic or by Basic Ingest. */
export type Way = 'HTTP' | 'MQTT' | 'Basic Ingest';
const { mqttRule, mqttAction } = prices;
const callOf: Record<Way, number> = {
  HTTP: prices.httpRequest,
  MQTT: prices.mqttMessage + mqttRule + mqttAction,
  'Basic Ingest': mqttRule + mqttAction,
};

type Work = Consumed & {
  /** Calls of devices, invocations and what they are billed for, deliveries. */
  calls: number;
  invocations: number;
  milliseconds: number;
  deliveries: number;
};

const { milliseconds: ms, batch } = assumed;
/** A call of a device is accepted alone; what is received together is worked on by one invocation. */
const said = (calls: number, each: number) => ({
  calls,
  invocations: calls + calls / batch,
  milliseconds: calls * (ms.accept + each),
  deliveries: 0,
});
const told = (work: ReturnType<typeof said>, deliveries: number) => ({
  ...work,
  invocations: work.invocations + deliveries / batch,
  milliseconds: work.milliseconds + deliveries * ms.deliver,
  deliveries,
});
const alone = (milliseconds: number) => ({ calls: 0, invocations: 1, milliseconds, deliveries: 0 });

/** One of each. */
export const works = {
  fall: { ...consumed.fall, ...told(said(1, ms.event), 1) },
  wholeFall: { ...consumed.wholeFall, ...told(said(4, ms.event), 1) },
  report: { ...consumed.report, ...said(1, ms.report) },
  look: { ...consumed.look, ...alone(ms.look) },
  sweep: { ...consumed.sweep, ...alone(ms.sweep) },
  /** A connection is let in, or may go on. */
  admit: { ...consumed.admit, ...alone(ms.admit) },
} as const satisfies Record<string, Work>;

/** Requests for a message: it is sent alone, received and deleted with those of its batch. */
const REQUESTS = 1 + 2 / batch;

/** What one piece of work costs; what it leaves is paid for until it goes. */
export const costsOf = (work: Work, way: Way = 'HTTP'): Costs => {
  const { read, write, fifo, standard, kept120, kept30, calls, invocations, milliseconds, deliveries } = work;
  const gigabyteMonths = (kept120 * 120 + kept30 * 30) / DAYS_OF_MONTH / GIGABYTE;
  const seconds = (milliseconds / 1_000) * assumed.memoryGigabytes;
  const answered = way === 'HTTP' ? calls : 0;
  const fair = prices.queueRequest + prices.fairQueueSurcharge;
  return {
    'front door': calls * callOf[way],
    functions: invocations * prices.invocation + seconds * prices.gigabyteSecond,
    table: read * prices.tableReadUnit + write * prices.tableWriteUnit,
    queues: REQUESTS * (fifo * prices.fifoRequest + standard * fair),
    storage: gigabyteMonths * prices.tableGigabyteMonth,
    backups: gigabyteMonths * prices.backupGigabyteMonth,
    // AWS IoT writes no line for each message, and its acknowledgements cost nothing.
    logs: ((invocations * assumed.logBytes + answered * assumed.accessBytes) / GIGABYTE) * prices.logGigabyte,
    keys: 0,
    traffic: ((answered * assumed.answerBytes + deliveries * assumed.requestBytes) / GIGABYTE) * prices.trafficGigabyte,
    alarms: 0,
  };
};

const names = Object.keys(costsOf(works.sweep)) as (keyof Costs)[];
const add = (...all: readonly Costs[]): Costs =>
  Object.fromEntries(names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])) as Costs;
export const times = (count: number, costs: Costs): Costs =>
  Object.fromEntries(names.map((name) => [name, count * costs[name]])) as Costs;
export const totalOf = (costs: Costs): number => names.reduce((sum, name) => sum + costs[name], 0);

/** What a cold start adds to a million invocations, beside everything else. */
export const coldStartsOf = ({ invocations }: Work): number =>
  invocations * assumed.coldStart.share * (assumed.coldStart.milliseconds / 1_000) * prices.gigabyteSecond;

/** Looks at a sensor that reports once a minute: each is 375 s behind what was written last, up to 2 minutes before the look. */
export const LOOKS_OF_MONTH = MINUTES_OF_MONTH / 5;
const FALLS_OF_MONTH = DAYS_OF_MONTH / 7;

/** What there is to pay when nobody says anything. */
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

/** A connection for a month, looked at again and again. */
const connected = (): Costs => {
  const admitted = times(MINUTES_OF_MONTH / assumed.admittedMinutes, costsOf(works.admit));
  return { ...admitted, 'front door': MINUTES_OF_MONTH * prices.connectionMinute };
};

/** A month of so many sensors that report once a minute, with a fall a week each, in steady state. */
export const monthOf = (sensors: number, way: Way = 'HTTP'): Costs =>
  add(
    idle(),
    times(way === 'HTTP' ? 0 : sensors, connected()),
    times(sensors * MINUTES_OF_MONTH, costsOf(works.report, way)),
    times(sensors * LOOKS_OF_MONTH, costsOf(works.look)),
    times(sensors * FALLS_OF_MONTH, costsOf(works.wholeFall, way)),
  );
