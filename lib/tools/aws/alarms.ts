import { type CloudWatchClient, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';

/** An alarm with its state and the reason for that state. `chapter` is the alarm's chapter in the runbook. */
type AlarmState = { chapter: string; state: string; reason: string };

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html */
const MAX_NAMES = 100;

/** Every alarm description ends with a link to the alarm's chapter. */
const chapterOf = ({ AlarmName = '', AlarmDescription = '' }: MetricAlarm): string =>
  /#([\w-]+)$/.exec(AlarmDescription)?.[1] ?? AlarmName;

/** Returns the alarm calls. */
export const alarmCalls = (client: CloudWatchClient) => ({
  /** Returns the states of the alarms with these names. */
  alarmStates: async (names: readonly string[]): Promise<AlarmState[]> => {
    const states: AlarmState[] = [];
    for (let at = 0; at < names.length; at += MAX_NAMES) {
      const AlarmNames = names.slice(at, at + MAX_NAMES);
      const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames, MaxRecords: MAX_NAMES }));
      for (const alarm of MetricAlarms)
        states.push({ chapter: chapterOf(alarm), state: alarm.StateValue ?? '', reason: alarm.StateReason ?? '' });
    }
    return states;
  },
});
