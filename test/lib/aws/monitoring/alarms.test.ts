import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { consumers, schedules } from '#functions/index.ts';
import { tableDesign } from '#shared/store/table.ts';
import { withTable } from '#test/fixtures/document-table.ts';
import { production, stackOf, whole } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const runbook = readFileSync(new URL('../../../../lib/aws/runbook.md', import.meta.url), 'utf8');
const all = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const dev = stackOf({ ...whole, alarmEmail: '' }).template;
const prod = stackOf({ ...production, ...whole }).template;

describe('the alarms', () => {
  it('every alarm describes the impact and links to the runbook', () => {
    const texts = all(prod, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) => AlarmDescription);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[A-Z].{40,}\. What to do: lib\/aws\/runbook\.md#[a-z0-9-]+$/);
    const [elsewhere] = all(stackOf({ runbookUrl: 'https://w.example/r' }).template, 'AWS::CloudWatch::Alarm');
    expect(elsewhere.AlarmDescription).toMatch(/ What to do: https:\/\/w\.example\/r#[a-z0-9-]+$/);
  });

  it('every alarm has exactly one section in the runbook', () => {
    const anchors = all(prod, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) => AlarmDescription.split('#')[1]);
    const [, alarmPart = ''] = runbook.split('\n## Alarms\n');
    const [text = ''] = alarmPart.split('\n## ');
    const chapters = text
      .split('\n### ')
      .slice(1)
      .map((chapter) => chapter.split(/\n\n(.*)/s));
    expect(chapters.map(([id]) => id).sort()).toEqual(anchors.sort());
    // Each chapter has room for a first check and a remedy.
    for (const [, body = ''] of chapters) expect(body.length).toBeGreaterThan(90);
  });

  it('the runbook table lists every alarm with its impact', async () => {
    const rows = all(prod, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) => {
      const [impact, id] = AlarmDescription.split(/ What to do: [^#]+#/);
      return `| [${id}](#${id}) | ${impact} |`;
    });
    const document = withTable(runbook, ['| alarm | meaning |', '| --- | --- |', ...rows]);
    await expect(document).toMatchFileSnapshot('../../../../lib/aws/runbook.md');
  });

  it('the runbook has no broken links', () => {
    const slugs = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link = '') => !slugs.includes(link))).toEqual([]);
  });

  it('there are fewer than 50 alarms, each within the CloudWatch limit on metrics', () => {
    const alarms = all(prod, 'AWS::CloudWatch::Alarm');
    expect(alarms.length).toBeLessThan(50);
    for (const { Metrics = [] } of alarms)
      expect(Metrics.filter(({ MetricStat }: Properties) => MetricStat).length).toBeLessThanOrEqual(10);
  });

  it("every alarm notifies the stage's alarm address, if there is one", () => {
    prod.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'night@example.org' });
    for (const { AlarmActions } of all(prod, 'AWS::CloudWatch::Alarm')) expect(AlarmActions).toHaveLength(1);
    // The topic for undelivered messages.
    dev.resourceCountIs('AWS::SNS::Topic', 1);
  });

  it('CloudWatch may publish to every alarm topic, but only for this account', () => {
    const policies = all(prod, 'AWS::SNS::TopicPolicy');
    const topics = all(prod, 'AWS::CloudWatch::Alarm').flatMap(({ AlarmActions }) => AlarmActions);
    const wanted = {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    expect(topics.length).toBeGreaterThan(0);
    for (const Resource of topics) {
      const rights = policies.flatMap(({ PolicyDocument, Topics }) =>
        JSON.stringify(Topics).includes(JSON.stringify(Resource)) ? PolicyDocument.Statement : [],
      );
      expect(rights).toContainEqual(expect.objectContaining({ ...wanted, Resource }));
    }
  });

  /** Returns the metrics of all alarms with their dimensions, including those in expressions. */
  const metricsOf = (template: Template): string[] =>
    all(template, 'AWS::CloudWatch::Alarm')
      .flatMap(({ MetricName, Dimensions, Metrics = [] }) => [
        { MetricName, Dimensions },
        ...Metrics.map(({ MetricStat }: Properties) => MetricStat?.Metric ?? {}),
      ])
      .filter(({ MetricName }) => MetricName)
      .map(({ MetricName, Dimensions = [] }) =>
        [MetricName, ...Dimensions.map(({ Value }: Properties) => Value.Ref ?? Value['Fn::GetAtt']?.[0] ?? Value)].join(
          ' ',
        ),
      );

  it('alarms cover all queues, background functions, both APIs, the table and every index', () => {
    const covered = metricsOf(dev);
    const idOf = (name: string) =>
      Object.entries(dev.findResources('AWS::Lambda::Function')).find(
        ([, { Properties }]) => Properties.FunctionName === `Test-${name}`,
      )?.[0];
    for (const { name } of [...consumers, ...schedules])
      expect(covered).toEqual(expect.arrayContaining([`Errors ${idOf(name)}`, `Throttles ${idOf(name)}`]));
    for (const [id, { Properties }] of Object.entries(dev.findResources('AWS::SQS::Queue')))
      expect(covered).toContain(
        `${Properties.RedrivePolicy ? 'ApproximateAgeOfOldestMessage' : id.startsWith('quarantine') ? 'NumberOfMessagesSent' : 'ApproximateNumberOfMessagesVisible'} ${id}`,
      );
    const [table] = Object.keys(dev.findResources('AWS::DynamoDB::Table'));
    for (const kind of ['Read', 'Write']) {
      expect(covered).toContain(`${kind}ThrottleEvents ${table}`);
      for (const index of Object.keys(tableDesign.indexes))
        expect(covered).toContain(`${kind}ThrottleEvents ${index} ${table}`);
    }
    for (const name of ['5XXError', '5xx', 'ClaimedAccountConcurrency']) expect(covered.join()).toContain(name);
  });

  it('alarms use the metric names that functions write', () => {
    const ours = all(prod, 'AWS::CloudWatch::Alarm').filter(({ Namespace }) => Namespace === 'Test');
    const names = ours
      .filter(({ Dimensions }) => Dimensions)
      .map(({ MetricName, Dimensions }) => [MetricName, Dimensions]);
    const dimensions = [{ Name: 'service', Value: 'sensor-cloud' }];
    const wanted = [
      'TasksFailed',
      'AttemptsLate',
      'MessagesAccepted',
      'TasksOverdue',
      'BreakersOpened',
      'LoginsFailed',
      'MailsFailed',
      'AlarmsFailed',
      'AlarmsUnnotified',
      'AlarmsUntold',
      'AlarmsUnanswered',
      'WebhooksDisabled',
      'FeedsNotFetched',
      'DevicesHeldBack',
      'SensorsNotUnderstood',
      'CanaryTime',
      'AlarmSubscriptions',
      'FeedbackFailed',
      'LettersFailed',
      'NobodyOnDuty',
      'SmsLimitReached',
      'Undeliverable',
    ];
    expect(Object.fromEntries(names)).toEqual(Object.fromEntries(wanted.map((name) => [name, dimensions])));
    // The authorizer writes no metrics.
    for (const { Environment, FunctionName } of all(prod, 'AWS::Lambda::Function'))
      expect(Environment.Variables.METRICS_NAMESPACE).toBe(FunctionName === 'Test-authorizer' ? undefined : 'Test');
  });

  it('an alarm fires after silenceMinutes without a message, unless that is 0', () => {
    const absent = (template: Template) =>
      all(template, 'AWS::CloudWatch::Alarm').filter(({ MetricName }) => MetricName === 'MessagesAccepted');
    expect(absent(dev)).toEqual([]);
    expect(absent(prod)).toMatchObject([
      { Period: 900, Threshold: 1, ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching' },
    ]);
  });

  it('alarms cover a web ACL and email only in stages that have them', () => {
    for (const name of ['BlockedRequests', 'Reputation.BounceRate']) {
      expect(metricsOf(prod).join()).toContain(name);
      expect(metricsOf(stackOf().template).join()).not.toContain(name);
    }
  });

  it.each([
    ['events', 60],
    ['deliveries', 60],
    ['retries', 1_800],
  ])('an alarm fires for a %s message older than %d s, and for dead letters', (name, seconds) => {
    const idOf = (kind: string) =>
      Object.keys(dev.findResources('AWS::SQS::Queue')).find((id) => id.startsWith(`${name}${kind}`)) ?? '';
    const of = (kind: string) => ({
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [idOf(kind), 'QueueName'] } }],
      TreatMissingData: 'notBreaching',
    });
    dev.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...of('queue'),
      MetricName: 'ApproximateAgeOfOldestMessage',
      Statistic: 'Maximum',
      Threshold: seconds,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    const dead = all(dev, 'AWS::CloudWatch::Alarm').find(({ Metrics }) =>
      JSON.stringify(Metrics)?.includes(idOf('dead')),
    );
    expect(dead).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      Metrics: expect.arrayContaining([
        expect.objectContaining({
          Expression: `SUM([${[0, 1, 2, 3, 4, 5, 6].map((at) => `IF(DIFF(FILL(m${at}, 0)) > 0, 1, 0)`).join(', ')}])`,
        }),
      ]),
    });
  });

  it('an alarm fires in stages with alarmEmail if no subscription is confirmed or the check does not run', () => {
    const unheard = (template: Template) =>
      all(template, 'AWS::CloudWatch::Alarm').filter(({ MetricName }) => MetricName === 'AlarmSubscriptions');
    expect(unheard(dev)).toEqual([]);
    expect(unheard(prod)).toMatchObject([
      {
        Statistic: 'Minimum',
        Period: 86_400,
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
        TreatMissingData: 'breaching',
      },
    ]);
  });

  it('an alarm fires when a scheduled function does not run', () => {
    dev.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });
});
