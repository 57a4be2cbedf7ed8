import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { ListSubscriptionsByTopicCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, test } from 'vitest';
import { cloudWatchAlarms } from '#shared/aws/active-alarms.ts';
import { snsAlarmTopic } from '#shared/aws/alarm-topic.ts';
import { alarmRecipients } from '#shared/domain/people/subscription.ts';

const sns = mockClient(SNSClient);
const cloudWatch = mockClient(CloudWatchClient);
afterAll(() => {
  sns.restore();
  cloudWatch.restore();
});

test('lists confirmed topic subscriptions from all pages', async () => {
  const TopicArn = 'arn:aws:sns:eu-central-1:1:alarms';
  const subscription = (SubscriptionArn: string, Protocol: string) => ({ SubscriptionArn, Protocol, Endpoint: 'x' });
  sns.on(ListSubscriptionsByTopicCommand, { TopicArn }).resolves({
    Subscriptions: [
      subscription('PendingConfirmation', 'email'),
      subscription('Deleted', 'sms'),
      subscription(`${TopicArn}:1`, 'email-json'),
    ],
    NextToken: 'next',
  });
  sns.on(ListSubscriptionsByTopicCommand, { TopicArn, NextToken: 'next' }).resolves({
    Subscriptions: [subscription(`${TopicArn}:2`, 'sms')],
  });
  const all = await snsAlarmTopic({ region: 'eu-central-1' }, TopicArn).subscriptions();
  expect(all.map(({ isConfirmed }) => isConfirmed)).toEqual([false, false, true, true]);
  expect(all.map(({ id }) => id)).toEqual(['', '', '1', '2']);
  const { confirmed, waking } = alarmRecipients(all);
  expect([confirmed, waking].map((some) => some.map(({ protocol }) => protocol))).toEqual([
    ['email-json', 'sms'],
    ['sms'],
  ]);
});

test('an active alarm is sent as text to people and in CloudWatch format to pagers', async () => {
  const TopicArn = 'arn:aws:sns:eu-central-1:1:alarms';
  const arn = 'arn:aws:cloudwatch:eu-central-1:1:alarm:SensorCloud-prod-canary';
  const found = {
    AlarmArn: arn,
    AlarmName: 'SensorCloud-prod-canary',
    AlarmDescription: 'Real falls probably reach nobody. What to do: runbook.md#canary-silent',
    StateReason: 'no datapoints were received',
    StateUpdatedTimestamp: new Date(0),
    MetricName: 'CanaryTime',
  };
  const query = { StateValue: 'ALARM', ActionPrefix: TopicArn } as const;
  cloudWatch.on(DescribeAlarmsCommand, query).resolves({ MetricAlarms: [found], NextToken: 'next' });
  cloudWatch.on(DescribeAlarmsCommand, { ...query, NextToken: 'next' }).resolves({
    MetricAlarms: [{ ...found, AlarmName: 'x'.repeat(200), MetricName: undefined }],
  });
  sns.on(PublishCommand).resolves({ MessageId: 'm' });
  const [first, second, ...more] = await cloudWatchAlarms({ region: 'eu-central-1' }, TopicArn)();
  expect([first?.metric, second?.metric, more]).toEqual(['CanaryTime', null, []]);
  const topic = snsAlarmTopic({ region: 'eu-central-1' }, TopicArn);
  for (const alarm of [first, second]) if (alarm) await topic.send(alarm);
  const [sent, long] = sns.commandCalls(PublishCommand).map(({ args: [{ input }] }) => input);
  expect(sent).toMatchObject({ TopicArn, Subject: 'ALARM: SensorCloud-prod-canary', MessageStructure: 'json' });
  expect(long?.Subject).toHaveLength(99);
  const { default: pager, email, sms } = JSON.parse(sent?.Message ?? '{}');
  expect(JSON.parse(pager)).toMatchObject({
    AlarmName: found.AlarmName,
    AlarmArn: arn,
    AWSAccountId: '1',
    Region: 'eu-central-1',
    NewStateValue: 'ALARM',
    NewStateReason: found.StateReason,
    StateChangeTime: '1970-01-01T00:00:00.000+0000',
    Trigger: { MetricName: 'CanaryTime' },
  });
  for (const text of [email, sms]) expect(text).toContain(found.AlarmDescription);
  expect(email).toMatch(/on since 1970-01-01T00:00:00\.000Z.*no datapoints were received/s);
});
