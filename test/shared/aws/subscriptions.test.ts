import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, test } from 'vitest';
import { snsSubscriptions } from '#shared/aws/subscriptions.ts';
import { alarmRecipients } from '#shared/domain/people/subscription.ts';

const sns = mockClient(SNSClient);
afterAll(() => sns.restore());

test('lists the subscriptions of all pages of a topic, and only confirmed ones get alarms', async () => {
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
  const all = await snsSubscriptions({ region: 'eu-central-1' }, TopicArn)();
  expect(all.map(({ isConfirmed }) => isConfirmed)).toEqual([false, false, true, true]);
  const { confirmed, waking } = alarmRecipients(all);
  expect([confirmed, waking].map((some) => some.map(({ protocol }) => protocol))).toEqual([
    ['email-json', 'sms'],
    ['sms'],
  ]);
});
