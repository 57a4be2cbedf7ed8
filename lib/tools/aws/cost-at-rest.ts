import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { prices } from './prices.ts';
import { type Resource, resourcesOf, type Template } from './template.ts';

/** A part of the monthly cost (USD) that is paid without any calls. */
type AtRest = { what: string; usd: number };

const MINUTES_OF_MONTH = (365.25 / 12) * 24 * 60;
/**
 * The number of pollers of a queue without messages; each poll takes 20 s.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const IDLE_POLLERS = 5;
/** The units of a sweep that finds nothing, which test/units-of-falls.test.ts asserts, and its assumed seconds and GB. */
export const SWEEP = { read: 17, write: 1 };
const SWEEP_TIME = { seconds: 0.2, gigabytes: 0.5 };
/**
 * A round of the canary: its units, which test/journeys/canary.test.ts asserts, its requests, and the assumed seconds at a GB
 * of all functions on its way.
 */
export const CANARY = { read: 30, write: 24 };
const CANARY_USE = { invocations: 8, seconds: 3, queueRequests: 14, calls: 3 };

type Properties = Resource['Properties'];
const each = (template: Template, type: string, usdOf: (properties: Properties) => number) => {
  const all = resourcesOf(template, type).map(([, { Properties = {} }]) => usdOf(Properties));
  return { count: all.length, usd: all.reduce((sum, usd) => sum + usd, 0) };
};

/** The cost of an alarm: each metric of an expression is billed, and the expression itself is not. */
const alarmUsd = ({ Metrics = [{ MetricStat: {} }] }: Properties): number =>
  Metrics.filter(({ MetricStat }: Properties) => MetricStat).length * prices.alarmMonth;

const pollingUsd = (template: Template) => {
  const isFifo = (id: string) =>
    resourcesOf(template, 'AWS::SQS::Queue').some(([queue, { Properties }]) => queue === id && Properties?.FifoQueue);
  const requests = IDLE_POLLERS * 3 * MINUTES_OF_MONTH;
  return each(template, 'AWS::Lambda::EventSourceMapping', ({ EventSourceArn }) => {
    const [id = ''] = EventSourceArn?.['Fn::GetAtt'] ?? [];
    return requests * (isFifo(id) ? prices.fifoRequest : prices.queueRequest);
  });
};

const sweepUsd =
  MINUTES_OF_MONTH *
  (prices.invocation +
    SWEEP_TIME.seconds * SWEEP_TIME.gigabytes * prices.gigabyteSecond +
    SWEEP.read * prices.tableReadUnit +
    SWEEP.write * prices.tableWriteUnit);

const canaryUsd = (minutes: number): number =>
  prices.metricMonth +
  (MINUTES_OF_MONTH / minutes) *
    (CANARY_USE.invocations * prices.invocation +
      CANARY_USE.seconds * prices.gigabyteSecond +
      CANARY_USE.queueRequests * prices.fifoRequest +
      CANARY_USE.calls * prices.restRequest +
      CANARY.read * prices.tableReadUnit +
      CANARY.write * prices.tableWriteUnit);

/** How often (minutes) a rule of EventBridge runs its function; NaN: not by minutes. */
const minutesOf = ({ ScheduleExpression }: Properties): number =>
  Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression)?.[1]);
const ruled = (template: Template, isWanted: (minutes: number) => boolean, usdOf: (minutes: number) => number) => {
  const minutes = resourcesOf(template, 'AWS::Events::Rule').map(([, { Properties }]) => minutesOf(Properties));
  const wanted = minutes.filter(isWanted);
  return { count: wanted.length, usd: wanted.reduce((sum, resource) => sum + usdOf(resource), 0) };
};

/**
 * The monthly cost of a stack at rest, by kind of resource, without free tiers. Stored data and logs are not
 * included.
 */
export const costAtRest = (template: Template): AtRest[] => {
  const rows: [what: string, of: { count: number; usd: number }][] = [
    ['alarms', each(template, 'AWS::CloudWatch::Alarm', alarmUsd)],
    ['dashboards', each(template, 'AWS::CloudWatch::Dashboard', () => prices.dashboardMonth)],
    ['KMS keys', each(template, 'AWS::KMS::Key', () => prices.keyMonth)],
    [
      'web ACLs with their rules',
      each(template, 'AWS::WAFv2::WebACL', ({ Rules = [] }) => prices.webAclMonth + Rules.length * prices.webRuleMonth),
    ],
    ['queues that Lambda asks for messages', pollingUsd(template)],
    [
      'functions that run each minute',
      ruled(
        template,
        (minutes) => minutes === 1,
        () => sweepUsd,
      ),
    ],
    ['canaries', ruled(template, (minutes) => minutes === CANARY_SECONDS / 60, canaryUsd)],
  ];
  return rows.flatMap(([what, { count, usd }]) => (count > 0 ? [{ what: `${count} ${what}`, usd }] : []));
};

/** Formats the cost at rest as lines of text, with the sum. */
export const costLines = (rows: readonly AtRest[]): string[] => {
  const line = (usd: number, what: string) => `${usd.toFixed(2).padStart(8)}  ${what}`;
  const sum = rows.reduce((total, { usd }) => total + usd, 0);
  return [
    `What it costs at rest, USD a month in ${prices.region} on ${prices.date}, beyond all free tiers:`,
    ...rows.map(({ what, usd }) => line(usd, what)),
    line(sum, 'in all, beside what is stored and what is called'),
  ];
};
