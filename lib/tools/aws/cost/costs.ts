import { assumed } from './assumptions.ts';
import { type Consumption, consumption } from './consumption.ts';
import { prices } from './prices.ts';

/** USD per type of cost. */
export type Costs = Record<
  'device API' | 'apps API' | 'functions' | 'table' | 'queues' | 'storage' | 'backups' | 'logs' | 'traffic',
  number
>;

const DAYS_PER_MONTH = 365.25 / 12;
export const MINUTES_PER_MONTH = DAYS_PER_MONTH * 24 * 60;
const SECONDS_PER_MONTH = MINUTES_PER_MONTH * 60;
const SECONDS_PER_HOUR = 3_600;
const GIGABYTE = 1e9;

/**
 * How a device sends messages: to the HTTP API, to a load balancer, over MQTT to a topic, or over MQTT with Basic
 * Ingest.
 */
export type Transport = 'HTTP' | 'load balancer' | 'MQTT' | 'Basic Ingest';
const isHttp = (transport: Transport): boolean => transport === 'HTTP' || transport === 'load balancer';
const { mqttRule, mqttAction } = prices;
const callPrices: Record<Transport, number> = {
  HTTP: prices.httpRequest,
  'load balancer': prices.balancerUnitHour / (assumed.connectionsPerUnit * SECONDS_PER_HOUR),
  MQTT: prices.mqttMessage + mqttRule + mqttAction,
  'Basic Ingest': mqttRule + mqttAction,
};

type Work = Consumption & {
  /** Device requests and their billed time (ms), other invocations and their billed time (ms), and deliveries. */
  calls: number;
  callMilliseconds: number;
  invocations: number;
  milliseconds: number;
  deliveries: number;
  /** Log lines for tracing: one for each decision and each attempt. */
  lines: number;
  /** App API requests. */
  appCalls: number;
};

const { milliseconds: ms, batch } = assumed;

/** Returns the work for device requests. Each request is an invocation, and so is each batch of messages. */
const received = (calls: number, each: number) => ({
  calls,
  callMilliseconds: calls * ms.accept,
  invocations: calls / batch,
  milliseconds: calls * each,
  deliveries: 0,
  lines: 0,
  appCalls: 0,
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
  appCalls: 0,
});

/** Adds the check that someone was notified of an alarm. */
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
  /** Accepting a report needs no other function, unless presence has changed. */
  report: { ...consumption.report, ...received(1, 0), callMilliseconds: ms.report, invocations: 0 },
  changedReport: { ...consumption.changedReport, ...received(1, ms.event), lines: 1 },
  followingReport: { ...consumption.followingReport, ...received(1, ms.event) },
  threeReports: { ...consumption.threeReports, ...received(1, 0), callMilliseconds: ms.threeReports, invocations: 0 },
  /** Included in a sweep, which is invoked anyway. */
  look: { ...consumption.look, ...processed(ms.look), invocations: 0 },
  entry: { ...consumption.entry, ...processed(ms.entry), invocations: 0 },
  check: { ...consumption.check, ...processed(ms.check) },
  sweep: { ...consumption.sweep, ...processed(ms.sweep * assumed.sweepGigabytes) },
  canary: {
    ...consumption.canary,
    ...processed(ms.canary),
    invocations: assumed.canary.invocations,
    lines: assumed.canary.invocations,
    appCalls: assumed.canary.calls,
  },
  screenCall: { ...consumption.screenCall, ...processed(ms.screen * assumed.screenGigabytes), appCalls: 1 },
  /** A device connects, or the connection is rechecked. */
  admit: { ...consumption.admit, ...processed(ms.admit) },
} as const satisfies Record<string, Work>;

/** SQS requests per message. Each message is sent separately, but received and deleted in a batch. */
const REQUESTS = 1 + 2 / batch;

/** Returns the cost of one piece of work, including storage for the items until they expire. */
export const costsOf = (work: Work, transport: Transport = 'HTTP'): Costs => {
  const { read, write, fifo, standard, kept120, kept30, deliveries, lines, appCalls, ...run } = work;
  const { calls, callMilliseconds, invocations, milliseconds } = run;
  const gigabyteMonths = (kept120 * 120 + kept30 * 30) / DAYS_PER_MONTH / GIGABYTE;
  const seconds = (milliseconds * assumed.memoryGigabytes + callMilliseconds * assumed.deviceMemoryGigabytes) / 1_000;
  const answered = isHttp(transport) ? calls : 0;
  const fair = prices.queueRequest + prices.fairQueueSurcharge;
  const logged =
    (invocations - appCalls) * assumed.logBytes + appCalls * assumed.accessLineBytes + lines * assumed.lineBytes;
  return {
    'device API': calls * callPrices[transport],
    'apps API': appCalls * prices.restRequest,
    functions: (calls + invocations) * prices.invocation + seconds * prices.gigabyteSecond,
    table: read * prices.tableReadUnit + write * prices.tableWriteUnit,
    queues: REQUESTS * (fifo * prices.fifoRequest + standard * fair),
    storage: gigabyteMonths * prices.tableGigabyteMonth,
    backups: gigabyteMonths * prices.backupGigabyteMonth,
    // AWS IoT logs nothing for a message, and acknowledgements are free.
    logs: (logged / GIGABYTE) * prices.logGigabyte,
    traffic:
      (((answered + appCalls) * assumed.answerBytes + deliveries * assumed.requestBytes) / GIGABYTE) *
      prices.trafficGigabyte,
  };
};

const names = Object.keys(costsOf(works.sweep)) as (keyof Costs)[];
const add = (...all: readonly Costs[]): Costs =>
  Object.fromEntries(names.map((name) => [name, all.reduce((sum, costs) => sum + costs[name], 0)])) as Costs;
export const times = (count: number, costs: Costs): Costs =>
  Object.fromEntries(names.map((name) => [name, count * costs[name]])) as Costs;
export const totalOf = (costs: Costs): number => names.reduce((sum, name) => sum + costs[name], 0);

/** Returns the additional cost of cold starts for the invocations in one piece of work. */
export const coldStartsOf = ({ calls, invocations }: Work): number =>
  (invocations * assumed.memoryGigabytes + calls * assumed.deviceMemoryGigabytes) *
  assumed.coldStart.share *
  (assumed.coldStart.milliseconds / 1_000) *
  prices.gigabyteSecond;

const withColdStarts = (work: Work, transport: Transport): Costs => {
  const costs = costsOf(work, transport);
  return { ...costs, functions: costs.functions + coldStartsOf(work) };
};

/**
 * How often per month the sweep reads the state of a sensor with one report a minute. Each read is due 375 s after the
 * last write, which may be up to 2 minutes old.
 */
const READS_PER_MONTH = MINUTES_PER_MONTH / 5;
const FALLS_PER_MONTH = DAYS_PER_MONTH / assumed.fallDays;

/** Returns the monthly cost of noticing offline sensors and checking their falls. */
export const monthlyCheckCosts = (): Costs =>
  add(
    times(READS_PER_MONTH, costsOf(works.look)),
    times(MINUTES_PER_MONTH, costsOf(works.entry)),
    times(FALLS_PER_MONTH * assumed.checksPerFall, costsOf(works.check)),
  );

/** Returns the monthly cost of a connection whose permission is rechecked regularly. */
const connected = (): Costs => {
  const admitted = times(MINUTES_PER_MONTH / assumed.admittedMinutes, costsOf(works.admit));
  return { ...admitted, 'device API': MINUTES_PER_MONTH * prices.connectionMinute };
};

/** How the reports from three minutes are sent: in separate requests, or all in one. */
export type ReportBatching = 'report' | 'threeReports';
const REPORTS_PER_CALL = { report: 1, threeReports: 3 } as const;

/** Returns a sensor's monthly cost in steady state. `changed` is the share of reports in which presence has changed. */
export const sensorMonth = (
  transport: Transport = 'HTTP',
  calls: ReportBatching = 'report',
  changed: number = assumed.changedReports,
): Costs => {
  const reports = SECONDS_PER_MONTH / assumed.reportSeconds;
  return add(
    times(isHttp(transport) ? 0 : 1, connected()),
    times((reports * (1 - 2 * changed)) / REPORTS_PER_CALL[calls], withColdStarts(works[calls], transport)),
    times(reports * changed, withColdStarts(works.changedReport, transport)),
    times(reports * changed, withColdStarts(works.followingReport, transport)),
    monthlyCheckCosts(),
    times(FALLS_PER_MONTH, withColdStarts(works.wholeFall, transport)),
  );
};

/** Whether a console's alarms can be seen or heard. */
export type ScreenMode = keyof typeof assumed.screenSeconds;

/** Returns the monthly cost of an always-open console. */
export const screenMonth = (mode: ScreenMode = 'watching'): Costs =>
  times(SECONDS_PER_MONTH / assumed.screenSeconds[mode], costsOf(works.screenCall));
