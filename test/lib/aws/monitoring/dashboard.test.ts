import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type MetricName, metrics, onlyShown } from '#shared/observability/metrics.ts';
import { production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const { template } = stackOf(production);
const all = (type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** Returns the dashboard widgets, with `?` for values known only after deployment. */
const widgets = (): Properties[] => {
  const [{ DashboardBody }] = all('AWS::CloudWatch::Dashboard') as [Properties];
  const text = DashboardBody['Fn::Join'][1].map((part: unknown) => (typeof part === 'string' ? part : '?')).join('');
  return JSON.parse(text).widgets;
};

describe('the dashboard', () => {
  it('the first dashboard row shows all alarms and the latencies', () => {
    const first = widgets().filter(({ y }) => y === 0);
    expect(first.map(({ x, properties: { title } }) => [x, title])).toEqual([
      [0, 'Are falls reported in time?'],
      [6, 'From message to first attempt, and canary end to end (ms)'],
      [12, "From message to the receiver's 2xx (ms)"],
      [18, 'Oldest message of each queue, and oldest due task (s)'],
    ]);
    const [{ properties }] = first;
    expect(properties.alarms).toHaveLength(all('AWS::CloudWatch::Alarm').length);
    for (const [at, name] of [
      [1, 'TimeToFirstAttempt'],
      [2, 'TimeToReceiver'],
    ] as const) {
      const shown = JSON.stringify(first[at].properties.metrics);
      for (const statistic of ['p50', 'p99']) expect(shown).toContain(`"${statistic}"`);
      expect(shown).toContain(`"Test","${name}","service","sensor-cloud"`);
    }
  });

  it('the dashboard shows every metric', () => {
    const shown = JSON.stringify(widgets());
    const names = Object.keys(metrics) as MetricName[];
    expect(names.filter((name) => !shown.includes(`"Test","${name}"`))).toEqual([]);
  });
});

it('a stage without a dashboard writes exactly the metrics that alarms read', () => {
  type Read = { Namespace?: string; MetricName?: string; Metrics?: { MetricStat?: { Metric: Read } }[] };
  const read = all('AWS::CloudWatch::Alarm').flatMap(({ Metrics, ...single }: Read) =>
    Metrics ? Metrics.map(({ MetricStat }) => MetricStat?.Metric) : [single],
  );
  const own = new Set(read.flatMap((metric) => (metric?.Namespace === 'Test' ? [metric.MetricName] : [])));
  const names = Object.keys(metrics) as MetricName[];
  expect(names.filter((name) => !own.has(name)).toSorted()).toEqual([...onlyShown].toSorted());
});

describe('the saved queries', () => {
  it('saved queries search all function and API logs, in a folder named after the stack', () => {
    const queries = all('AWS::Logs::QueryDefinition');
    expect(queries.map(({ Name }) => Name)).toContainEqual(expect.stringMatching(/^Test\/what became of ID/));
    for (const { LogGroupNames, QueryString } of queries) {
      expect(LogGroupNames).toHaveLength(all('AWS::Lambda::Function').length + 1);
      expect(QueryString).toMatch(/^fields .*\n\| filter .*\n\| sort @timestamp (asc|desc)\n\| limit 1000$/);
    }
  });

  it('saved queries search for messages that functions actually log', () => {
    const filters = all('AWS::Logs::QueryDefinition').map(({ QueryString }) => String(QueryString));
    const messages = filters.flatMap((filter) =>
      [...filter.matchAll(/message = "([^"]+)"/g)].map(([, message]) => message),
    );
    const code = globSync(['functions/workers/**/*.ts', 'shared/**/*.ts']).map((file) => readFileSync(file, 'utf8'));
    const isLogged = (message = '') => code.some((text) => new RegExp(`log\\([^)]*'${message}'`).test(text));
    expect([messages.length, messages.filter((message) => !isLogged(message))]).toEqual([3, []]);
  });
});
