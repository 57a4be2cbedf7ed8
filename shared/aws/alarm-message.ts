import type { ActiveAlarm } from '../domain/people/active-alarm.ts';

/** SNS accepts fewer than 100 characters. https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
const MAX_SUBJECT_LENGTH = 99;

/** Returns an alarm in the CloudWatch format, which pagers read. */
const notification = ({ arn, name, description, reason, since, metric }: ActiveAlarm) => {
  const [, , , Region = '', AWSAccountId = ''] = arn.split(':');
  return {
    AlarmName: name,
    AlarmDescription: description,
    AWSAccountId,
    NewStateValue: 'ALARM',
    NewStateReason: reason,
    StateChangeTime: new Date(since).toISOString().replace('Z', '+0000'),
    Region,
    AlarmArn: arn,
    OldStateValue: 'OK',
    Trigger: metric === null ? {} : { MetricName: metric },
  };
};

/** Returns the human-readable text. */
const text = ({ name, description, reason, since }: ActiveAlarm): string =>
  [
    `The alarm ${name} has been on since ${new Date(since).toISOString()}. You get it now because a subscription was confirmed after it started.`,
    description,
    `Reason: ${reason}`,
  ].join('\n\n');

/**
 * Returns the message about an already active alarm, with text for each subscription protocol.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html
 */
export const alarmMessage = (alarm: ActiveAlarm) => ({
  Subject: `ALARM: ${alarm.name}`.slice(0, MAX_SUBJECT_LENGTH),
  MessageStructure: 'json',
  Message: JSON.stringify({
    default: JSON.stringify(notification(alarm)),
    email: text(alarm),
    sms: `ALARM: ${alarm.name}. ${alarm.description}`,
  }),
});
