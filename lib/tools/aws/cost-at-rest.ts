import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { prices } from './prices.ts';
import { type Resource, resourcesOf, type Template } from './template.ts';

/** A part of the monthly cost (USD) of a stage without any calls. */
type AtRest = { what: string; usd: number };

const MINUTES_PER_MONTH = (365.25 / 12) * 24 * 60;

/**
 * The number of pollers of an empty queue. Each poll takes 20 s.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const IDLE_POLLERS = 5;

/** The units of a sweep that finds nothing (asserted in test/units-of-falls.test.ts), and its assumed seconds and GB. */
export const SWEEP = { read: 17, write: 1 };
const SWEEP_TIME = { seconds: 0.2, gigabytes: 0.5 };

/**
 * The units of a canary round (asserted in test/journeys/canary.test.ts), its requests, and the assumed GB seconds of all
 * functions involved.
 */
export const CANARY = { read: 30, write: 24 };
const CANARY_USE = { invocations: 8, seconds: 3, queueRequests: 14, calls: 3 };

type Properties = Resource['Properties'];
const each = (template: Template, type: string, usdOf: (properties: Properties) => number) => {
  const costs = resourcesOf(template, type).map(([, { Properties = {} }]) => usdOf(Properties));
  return { count: costs.length, usd: costs.reduce((sum, usd) => sum + usd, 0) };
};

/** Returns the cost of an alarm: each metric of an expression is billed, the expression itself is not. */
const alarmUsd = ({ Metrics = [{ MetricStat: {} }] }: Properties): number =>
  Metrics.filter(({ MetricStat }: Properties) => MetricStat).length * prices.alarmMonth;

const pollingUsd = (template: Template) => {
  const isFifo = (id: string) =>
    resourcesOf(template, 'AWS::SQS::Queue').some(([queue, { Properties }]) => queue === id && Properties?.FifoQueue);
  const requests = IDLE_POLLERS * 3 * MINUTES_PER_MONTH;
  return each(template, 'AWS::Lambda::EventSourceMapping', ({ EventSourceArn }) => {
    const [id = ''] = EventSourceArn?.['Fn::GetAtt'] ?? [];
    return requests * (isFifo(id) ? prices.fifoRequest : prices.queueRequest);
  });
};

const sweepUsd =
  MINUTES_PER_MONTH *
  (prices.invocation +
    SWEEP_TIME.seconds * SWEEP_TIME.gigabytes * prices.gigabyteSecond +
    SWEEP.read * prices.tableReadUnit +
    SWEEP.write * prices.tableWriteUnit);

const canaryUsd = (minutes: number): number =>
  prices.metricMonth +
  (MINUTES_PER_MONTH / minutes) *
    (CANARY_USE.invocations * prices.invocation +
      CANARY_USE.seconds * prices.gigabyteSecond +
      CANARY_USE.queueRequests * prices.fifoRequest +
      CANARY_USE.calls * prices.restRequest +
      CANARY.read * prices.tableReadUnit +
      CANARY.write * prices.tableWriteUnit);

/** Returns the interval (minutes) of an EventBridge rule, or NaN for other schedules. */
const minutesOf = ({ ScheduleExpression }: Properties): number =>
  Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression)?.[1]);
const scheduled = (
  template: Template,
  isIncluded: (minutes: number) => boolean,
  usdOf: (minutes: number) => number,
) => {
  const minutes = resourcesOf(template, 'AWS::Events::Rule').map(([, { Properties }]) => minutesOf(Properties));
  const included = minutes.filter(isIncluded);
  return { count: included.length, usd: included.reduce((sum, interval) => sum + usdOf(interval), 0) };
};

/**
 * Returns the monthly cost of a stack at rest by kind of resource, without free tiers, stored data and logs.
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
    ['queues that Lambda polls', pollingUsd(template)],
    [
      'functions that run every minute',
      scheduled(
        template,
        (minutes) => minutes === 1,
        () => sweepUsd,
      ),
    ],
    ['canaries', scheduled(template, (minutes) => minutes === CANARY_SECONDS / 60, canaryUsd)],
  ];
  return rows.flatMap(([what, { count, usd }]) => (count > 0 ? [{ what: `${count} ${what}`, usd }] : []));
};

/** Formats the cost at rest as lines of text with their sum. */
export const formatCosts = (rows: readonly AtRest[]): string[] => {
  const line = (usd: number, what: string) => `${usd.toFixed(2).padStart(8)}  ${what}`;
  const sum = rows.reduce((total, { usd }) => total + usd, 0);
  return [
    `Monthly cost at rest in USD (${prices.region}, prices of ${prices.date}, without free tiers):`,
    ...rows.map(({ what, usd }) => line(usd, what)),
    line(sum, 'total, without stored data and calls'),
  ];
};
