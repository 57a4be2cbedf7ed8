import { expect, test } from 'vitest';
import { activeAlarmFrom } from '#shared/domain/people/active-alarm.ts';
import { alarmRecipients, subscriptionFrom } from '#shared/domain/people/subscription.ts';

const arn = 'arn:aws:sns:eu-central-1:123456789012:alarms:0b6c4a1e';

test('a CloudWatch alarm is read even if fields are missing', () => {
  const alarm = {
    AlarmArn: 'arn',
    AlarmName: 'Backlog',
    AlarmDescription: 'Messages wait',
    StateReason: 'above 5',
    StateUpdatedTimestamp: new Date(9),
    MetricName: 'Age',
  };
  expect(activeAlarmFrom(alarm)).toEqual({
    arn: 'arn',
    name: 'Backlog',
    description: 'Messages wait',
    reason: 'above 5',
    since: 9,
    metric: 'Age',
  });
  expect(activeAlarmFrom({})).toEqual({ arn: '', name: '', description: '', reason: '', since: 0, metric: null });
});

test('a subscription counts only after confirmation', () => {
  expect(subscriptionFrom({ SubscriptionArn: arn, Protocol: 'sms', Endpoint: '+49' })).toEqual({
    id: '0b6c4a1e',
    protocol: 'sms',
    endpoint: '+49',
    isConfirmed: true,
  });
  const pending = { id: '', protocol: 'email', endpoint: 'a@b.example', isConfirmed: false };
  expect(
    subscriptionFrom({ SubscriptionArn: 'PendingConfirmation', Protocol: 'email', Endpoint: 'a@b.example' }),
  ).toEqual(pending);
  expect(subscriptionFrom({})).toEqual({ id: '', protocol: '', endpoint: '', isConfirmed: false });
});

test('only a confirmed SMS subscription can wake an operator', () => {
  const sms = subscriptionFrom({ SubscriptionArn: arn, Protocol: 'sms' });
  const mail = subscriptionFrom({ SubscriptionArn: arn, Protocol: 'email' });
  const json = subscriptionFrom({ SubscriptionArn: arn, Protocol: 'email-json' });
  const pending = subscriptionFrom({ SubscriptionArn: 'PendingConfirmation', Protocol: 'sms' });
  expect(alarmRecipients([sms, mail, json, pending])).toEqual({ confirmed: [sms, mail, json], waking: [sms] });
});
