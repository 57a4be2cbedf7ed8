import { type Consumption, consumption } from './consumption.ts';
import { assumed, prices } from './prices.ts';

/** USD per kind of cost. */
export type Costs = Record<
  'device API' | 'functions' | 'table' | 'queues' | 'storage' | 'backups' | 'logs' | 'keys' | 'traffic' | 'alarms',
  number
>;

const DAYS_PER_MONTH = 365.25 / 12;
const MINUTES_PER_MONTH = DAYS_PER_MONTH * 24 * 60;
const GIGABYTE = 1e9;

/** How a device sends: by HTTP, by MQTT to its topic, or by MQTT with Basic Ingest. */
export type Transport = 'HTTP' | 'MQTT' | 'Basic Ingest';
const { mqttRule, mqttAction } = prices;
const callPrices: Record<Transport, number> = {
  HTTP: prices.httpRequest,
  MQTT: prices.mqttMessage + mqttRule + mqttAction,
  'Basic Ingest': mqttRule + mqttAction,
};

type Work = Consumption & {
  /** Device calls with their billed time (ms), other invocations with theirs, and deliveries. */
  calls: number;
  callMilliseconds: number;
  invocations: number;
  milliseconds: number;
  deliveries: number;
  /** Log lines for tracing: one for each decision and each attempt. */
  lines: number;
};

const { milliseconds: ms, batch } = assumed;

/** Returns the work of device calls. Each call is an invocation, and each batch of messages another one. */
const received = (calls: number, each: number) => ({
  calls,
  callMilliseconds: calls * ms.accept,
  invocations: calls / batch,
  milliseconds: calls * each,
  deliveries: 0,
  lines: 0,
});
const delivered = (work: ReturnType<typeof received>, deliveries: number) => ({
  ...work,
  invocations: work.invocations + deliveries / batch,
  milliseconds: work.milliseconds + deliveries * ms.deliver,
  deliveries,
  lines: work.calls + deliveries,
});
const processed = (milliseconds: number) => ({
  calls: 0,
  callMilliseconds: 0,
  invocations: 1,
  milliseconds,
  deliveries: 0,
  lines: 0,
});

/** Adds the check whether somebody was notified of an alarm. */
const withCheck = <W extends Work>(work: W): W => ({
  ...work,
  read: work.read + consumption.alarmCheck.read,
  standard: work.standard + consumption.alarmCheck.standard,
  invocations: work.invocations + 1,
  milliseconds: work.milliseconds + ms.check,
});

/** The work for one fall, one report and so on. */
export const works = {
  fall: withCheck({ ...consumption.fall, ...delivered(received(1, ms.event), 1) }),
  wholeFall: withCheck({ ...consumption.wholeFall, ...delivered(received(4, ms.event), 1) }),
  /** Accepting a report needs no other function. */
  report: { ...consumption.report, ...received(1, 0), callMilliseconds: ms.report, invocations: 0 },
  fiveReports: { ...consumption.fiveReports, ...received(1, 0), callMilliseconds: ms.fiveReports, invocations: 0 },
  /** Part of a sweep, which is invoked anyway. */
  look: { ...consumption.look, ...processed(ms.look), invocations: 0 },
  entry: { ...consumption.entry, ...processed(ms.entry), invocations: 0 },
  check: { ...consumption.check, ...processed(ms.check) },
  sweep: { ...consumption.sweep, ...processed(ms.sweep) },
  /** A device connects, or its connection is rechecked. */
  admit: { ...consumption.admit, ...processed(ms.admit) },
} as const satisfies Record<string, Work>;

/** SQS requests per message, which is sent separately, but received and deleted in a batch. */
const REQUESTS = 1 + 2 / batch;

/** Returns the cost of one piece of work, including the storage of its items until they expire. */
export const costsOf = (work: Work, transport: Transport = 'HTTP'): Costs => {
  const { read, write, fifo, standard, kept120, kept30, deliveries, lines, ...run } = work;
  const { calls, callMilliseconds, invocations, milliseconds } = run;
  const gigabyteMonths = (kept120 * 120 + kept30 * 30) / DAYS_PER_MONTH / GIGABYTE;
  const seconds = (milliseconds * assumed.memoryGigabytes + callMilliseconds * assumed.deviceMemoryGigabytes) / 1_000;
  const answered = transport === 'HTTP' ? calls : 0;
  const fair = prices.queueRequest + prices.fairQueueSurcharge;
  const logged = invocations * assumed.logBytes + lines * assumed.lineBytes;
  return {
    'device API': calls * callPrices[transport],
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

/** Returns the additional cost of cold starts for the invocations of one piece of work. */
export const coldStartsOf = ({ calls, invocations }: Work): number =>
  (calls + invocations) * assumed.coldStart.share * (assumed.coldStart.milliseconds / 1_000) * prices.gigabyteSecond;

/**
 * How often per month the sweep reads the state of a sensor that reports once a minute. Each read is due 375 s after the last
 * write, which may be up to 2 minutes old.
 */
const READS_PER_MONTH = MINUTES_PER_MONTH / 5;
const FALLS_PER_MONTH = DAYS_PER_MONTH / 7;
/** Each sweep checks an open fall, which ends after some minutes. */
const CHECKS_PER_FALL = 5;

/** Returns the monthly cost of noticing that a sensor is offline, and of checking its falls. */
export const monthlyCheckCosts = (): Costs =>
  add(
    times(READS_PER_MONTH, costsOf(works.look)),
    times(MINUTES_PER_MONTH, costsOf(works.entry)),
    times(FALLS_PER_MONTH * CHECKS_PER_FALL, costsOf(works.check)),
  );

/** Returns the monthly cost without any messages. */
const idle = (): Costs => {
  const receives = assumed.queues * assumed.idlePollers * 3 * MINUTES_PER_MONTH;
  const keyRequests = (assumed.processes * MINUTES_PER_MONTH) / 5;
  return add(times(MINUTES_PER_MONTH, costsOf(works.sweep)), {
    ...times(0, costsOf(works.sweep)),
    queues: receives * prices.queueRequest,
    keys: prices.keyMonth + keyRequests * prices.keyRequest,
    alarms: assumed.alarms * prices.alarmMonth + assumed.metrics * prices.metricMonth,
  });
};

/** Returns the monthly cost of a connection, whose permission is rechecked regularly. */
const connected = (): Costs => {
  const admitted = times(MINUTES_PER_MONTH / assumed.admittedMinutes, costsOf(works.admit));
  return { ...admitted, 'device API': MINUTES_PER_MONTH * prices.connectionMinute };
};

/** How the reports of five minutes are sent: in separate calls, or all in one. */
export type ReportBatching = 'report' | 'fiveReports';
const SECONDS_PER_CALL = { report: 60, fiveReports: 300 } as const;

/** Returns the cost of a month with this number of sensors, each with a report a minute and a fall a week, in steady state. */
export const monthOf = (sensors: number, transport: Transport = 'HTTP', calls: ReportBatching = 'report'): Costs =>
  add(
    idle(),
    times(transport === 'HTTP' ? 0 : sensors, connected()),
    times((sensors * MINUTES_PER_MONTH * 60) / SECONDS_PER_CALL[calls], costsOf(works[calls], transport)),
    times(sensors, monthlyCheckCosts()),
    times(sensors * FALLS_PER_MONTH, costsOf(works.wholeFall, transport)),
  );
