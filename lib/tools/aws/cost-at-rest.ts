import { prices } from './prices.ts';
import { type Resource, resourcesOf, type Template } from './template.ts';

/** USD a month that are paid when nobody calls. */
export type AtRest = { what: string; usd: number };

const MINUTES_OF_MONTH = (365.25 / 12) * 24 * 60;
/** Pollers of a queue that find nothing, each for 20 s. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
export const IDLE_POLLERS = 5;
/** A sweep that finds nothing: read units of the due index (shared/store/access-patterns.ts), seconds and GB. */
const SWEEP = { readUnits: 18, seconds: 0.2, gigabytes: 0.5 };

type Properties = Resource['Properties'];
const each = (template: Template, type: string, usdOf: (properties: Properties) => number) => {
  const all = resourcesOf(template, type).map(([, { Properties = {} }]) => usdOf(Properties));
  return { count: all.length, usd: all.reduce((sum, usd) => sum + usd, 0) };
};

/** An alarm is paid for each metric that it looks at, not for what it reckons of them. */
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
    SWEEP.seconds * SWEEP.gigabytes * prices.gigabyteSecond +
    SWEEP.readUnits * prices.tableReadUnit);

/** What a stack costs at rest, by what it is made of: beyond all free tiers. Stored data and logs come on top. */
export const costAtRest = (template: Template): AtRest[] => {
  const rows: [what: string, of: { count: number; usd: number }][] = [
    ['alarms', each(template, 'AWS::CloudWatch::Alarm', alarmUsd)],
    ['composite alarms', each(template, 'AWS::CloudWatch::CompositeAlarm', () => prices.compositeAlarmMonth)],
    ['dashboards', each(template, 'AWS::CloudWatch::Dashboard', () => prices.dashboardMonth)],
    ['KMS keys', each(template, 'AWS::KMS::Key', () => prices.keyMonth)],
    ['secrets', each(template, 'AWS::SecretsManager::Secret', () => prices.secretMonth)],
    [
      'web ACLs with their rules',
      each(template, 'AWS::WAFv2::WebACL', ({ Rules = [] }) => prices.webAclMonth + Rules.length * prices.webRuleMonth),
    ],
    ['queues that Lambda asks for messages', pollingUsd(template)],
    ['functions that run each minute', each(template, 'AWS::Events::Rule', () => sweepUsd)],
  ];
  return rows.flatMap(([what, { count, usd }]) => (count > 0 ? [{ what: `${count} ${what}`, usd }] : []));
};

/** The same for people, with the sum. */
export const costLines = (rows: readonly AtRest[]): string[] => {
  const line = (usd: number, what: string) => `${usd.toFixed(2).padStart(8)}  ${what}`;
  const sum = rows.reduce((total, { usd }) => total + usd, 0);
  return [
    `What it costs at rest, USD a month in ${prices.region} on ${prices.date}, beyond all free tiers:`,
    ...rows.map(({ what, usd }) => line(usd, what)),
    line(sum, 'in all, beside what is stored and what is called'),
  ];
};
