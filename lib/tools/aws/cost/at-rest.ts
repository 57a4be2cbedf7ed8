import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { onlyShown } from '#shared/observability/metrics.ts';
import { type Resource, resourcesOf, type Template } from '../template.ts';
import { assumed } from './assumptions.ts';
import { costsOf, MINUTES_PER_MONTH, type ScreenMode, screenMonth, sensorMonth, totalOf, works } from './costs.ts';
import { prices } from './prices.ts';

/**
 * Part of the monthly cost (USD) of a stage without sensors. `isInUse` marks a cost incurred only while the stage is in
 * use.
 */
type AtRest = { what: string; usd: number; isInUse?: true };

type Properties = Resource['Properties'];
const each = (template: Template, type: string, usdOf: (properties: Properties) => number) => {
  const costs = resourcesOf(template, type).map(([, { Properties = {} }]) => usdOf(Properties));
  return { count: costs.length, usd: costs.reduce((sum, usd) => sum + usd, 0) };
};

/** Returns an alarm's cost. Each metric in an expression is billed, but the expression itself is not. */
const alarmUsd = ({ Metrics = [{ MetricStat: {} }] }: Properties): number =>
  Metrics.filter(({ MetricStat }: Properties) => MetricStat).length * prices.alarmMonth;

const BALANCER = 'AWS::ElasticLoadBalancingV2::LoadBalancer';
const hasBalancer = (template: Template): boolean => resourcesOf(template, BALANCER).length > 0;
/** Returns the cost of an idle load balancer with a public address in each subnet. */
const balancerUsd = ({ Subnets }: Properties): number =>
  (MINUTES_PER_MONTH / 60) * (prices.balancerHour + Subnets.length * prices.publicAddressHour);

const pollingUsd = (template: Template) => {
  const isFifo = (id: string) =>
    resourcesOf(template, 'AWS::SQS::Queue').some(([queue, { Properties }]) => queue === id && Properties?.FifoQueue);
  const requests = assumed.idlePollers * (60 / assumed.pollSeconds) * MINUTES_PER_MONTH;
  return each(template, 'AWS::Lambda::EventSourceMapping', ({ EventSourceArn }) => {
    const [id = ''] = EventSourceArn?.['Fn::GetAtt'] ?? [];
    return requests * (isFifo(id) ? prices.fifoRequest : prices.queueRequest);
  });
};

const sweepUsd = MINUTES_PER_MONTH * totalOf(costsOf(works.sweep));
/** Returns the monthly cost of running a canary round every `minutes`. `inUse` counts the metrics. */
const canaryUsd = (minutes: number): number => (MINUTES_PER_MONTH / minutes) * totalOf(costsOf(works.canary));

/** Returns an EventBridge rule's interval (minutes), or NaN for other schedules. */
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

/** Returns the costs of a stage in use that are not tied to any resource. */
const inUse = (template: Template): AtRest[] => {
  const hasDashboard = resourcesOf(template, 'AWS::CloudWatch::Dashboard').length > 0;
  const metrics = assumed.hourlyMetrics.filter((name) => hasDashboard || !onlyShown.has(name)).length;
  const keyRequests = (assumed.roles * MINUTES_PER_MONTH) / assumed.keyMinutes;
  return [
    { what: `${metrics} custom metrics`, usd: metrics * prices.metricMonth, isInUse: true },
    { what: 'requests for keys', usd: keyRequests * prices.keyRequest, isInUse: true },
  ];
};

/** Returns a stack's monthly cost without sensors, by resource type, excluding free tiers, stored data and tax. */
export const costAtRest = (template: Template): AtRest[] => {
  const rows: [what: string, of: { count: number; usd: number }][] = [
    ['alarms', each(template, 'AWS::CloudWatch::Alarm', alarmUsd)],
    ['dashboards', each(template, 'AWS::CloudWatch::Dashboard', () => prices.dashboardMonth)],
    ['KMS keys', each(template, 'AWS::KMS::Key', () => prices.keyMonth)],
    [
      'web ACLs with their rules',
      each(template, 'AWS::WAFv2::WebACL', ({ Rules = [] }) => prices.webAclMonth + Rules.length * prices.webRuleMonth),
    ],
    ['load balancers with their addresses', each(template, BALANCER, balancerUsd)],
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
  const resources = rows.flatMap(([what, { count, usd }]) => (count > 0 ? [{ what: `${count} ${what}`, usd }] : []));
  return [...resources, ...inUse(template)];
};

const sum = (rows: readonly AtRest[]): number => rows.reduce((total, { usd }) => total + usd, 0);

/**
 * Returns the monthly cost (USD) per sensor and per open console: `screen` if alarms can be seen or heard,
 * `hiddenScreen` otherwise. A web ACL adds a price for each console request.
 */
export const unitCosts = (template: Template): { sensor: number; screen: number; hiddenScreen: number } => {
  const hasWebAcl = resourcesOf(template, 'AWS::WAFv2::WebACL').length > 0;
  const usdOf = (mode: ScreenMode): number => {
    const screen = screenMonth(mode);
    const calls = screen['apps API'] / prices.restRequest;
    return totalOf(screen) + (hasWebAcl ? calls * prices.webRequest : 0);
  };
  const sensor = totalOf(sensorMonth(hasBalancer(template) ? 'load balancer' : 'HTTP'));
  return { sensor, screen: usdOf('watching'), hiddenScreen: usdOf('hidden') };
};

/** Returns the monthly cost (USD) of a stage in use. */
export const monthOf = (template: Template, { sensors, screens }: { sensors: number; screens: number }): number => {
  const { sensor, screen } = unitCosts(template);
  return sum(costAtRest(template)) + sensors * sensor + screens * screen;
};

/** Formats a stage's cost in USD per month: at rest, per sensor and per screen, and for two examples. */
export const formatCosts = (template: Template): string[] => {
  const line = (usd: number, what: string) => `${usd.toFixed(2).padStart(8)}  ${what}`;
  const rows = costAtRest(template);
  const { sensor, screen, hiddenScreen } = unitCosts(template);
  const examples = [
    { sensors: 30, screens: 2 },
    { sensors: 1_000, screens: 20 },
  ];
  return [
    `Cost in USD a month (${prices.region}, prices of ${prices.date}, without free tiers and tax; a KMS key costs 1 more after its first and second year):`,
    ...rows.map(({ what, usd }) => line(usd, what)),
    line(sum(rows), 'at rest'),
    line(
      sensor,
      `for each sensor: a report a minute, ${100 * assumed.changedReports}% of them with a change, a fall a week`,
    ),
    line(screen, 'for each console that is always open and can be seen or heard'),
    line(hiddenScreen, 'for each console in a background tab without sound'),
    ...examples.map((home) =>
      line(monthOf(template, home), `for ${home.sensors.toLocaleString('en')} sensors and ${home.screens} consoles`),
    ),
  ];
};
