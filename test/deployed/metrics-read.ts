import type { Account } from './account.ts';

/** A CloudWatch metric's identity: namespace, name and dimensions in order. */
type Metric = { namespace: string; name: string; dimensions: Readonly<Record<string, string>> };
const textOf = ({ namespace, name, dimensions }: Metric): string =>
  [namespace, name, ...Object.entries(dimensions).map((pair) => pair.join('='))].join(' ');

type Directive = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] };
type Embedded = { _aws: { CloudWatchMetrics: Directive[] } } & Record<string, unknown>;

/**
 * Returns the metrics that CloudWatch extracts from a function's log line.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const metricsIn = (line: string): string[] => {
  if (!line.includes('"CloudWatchMetrics"')) return [];
  const { _aws, ...values } = JSON.parse(line) as Embedded;
  return _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Metrics.filter(({ Name }) => [values[Name]].flat().every((value) => typeof value === 'number')).flatMap(
      ({ Name }) =>
        Dimensions.map((names) => {
          const dimensions = Object.fromEntries(names.map((name) => [name, String(values[name])]));
          return textOf({ namespace: Namespace, name: Name, dimensions });
        }),
    ),
  );
};

type Filter = { MetricTransformations: { MetricNamespace: string; MetricName: string }[] };

/** Returns the metrics extracted from API logs by metric filters. */
export const filteredBy = (account: Account): string[] =>
  account
    .all<Filter>('AWS::Logs::MetricFilter')
    .flatMap(({ MetricTransformations }) => MetricTransformations)
    .map(({ MetricNamespace: namespace, MetricName: name }) => textOf({ namespace, name, dimensions: {} }));

type Named = { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: string }[] };
type Alarm = Partial<Named> & { Metrics?: { MetricStat?: { Metric: Named } }[] };
const ofAlarm = ({ Namespace, MetricName, Dimensions, Metrics = [] }: Alarm): Named[] => [
  ...(Namespace && MetricName ? [{ Namespace, MetricName, ...(Dimensions && { Dimensions }) }] : []),
  ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
];

type Dashboard = { DashboardBody: string };
type Body = { widgets: { properties: { metrics?: unknown[][] } }[] };

/** Returns a dashboard's metrics. Each graph line is `[namespace, name, dimension, value, ..., options]`. */
const ofDashboard = ({ DashboardBody }: Dashboard): Metric[] =>
  (JSON.parse(DashboardBody) as Body).widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map((line) => line.filter((value) => typeof value === 'string'))
    .filter(([namespace]) => namespace !== undefined)
    .map(([namespace = '', name = '', ...rest]) => {
      const pairs = rest.flatMap((dimension, at) => (at % 2 === 0 ? [[dimension, rest[at + 1] ?? '']] : []));
      return { namespace, name, dimensions: Object.fromEntries(pairs) };
    });

/** Returns the metrics read by alarms and the dashboard, excluding those provided by AWS. */
export const metricsRead = (account: Account): string[] => {
  const alarms = account
    .all<Alarm>('AWS::CloudWatch::Alarm')
    .flatMap(ofAlarm)
    .map(({ Namespace: namespace, MetricName: name, Dimensions = [] }): Metric => {
      const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
      return { namespace, name, dimensions };
    });
  const shown = account.all<Dashboard>('AWS::CloudWatch::Dashboard').flatMap(ofDashboard);
  const own = [...alarms, ...shown].filter(({ namespace }) => !namespace.startsWith('AWS/'));
  return [...new Set(own.map(textOf))].sort();
};
