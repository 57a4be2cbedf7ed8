/**
 * An active CloudWatch alarm. `since` is when (ms) it started; `metric` is null unless the alarm watches a single
 * metric.
 */
export type ActiveAlarm = {
  arn: string;
  name: string;
  description: string;
  reason: string;
  since: number;
  metric: string | null;
};

type CloudWatchAlarm = {
  AlarmArn?: string | undefined;
  AlarmName?: string | undefined;
  AlarmDescription?: string | undefined;
  StateReason?: string | undefined;
  StateUpdatedTimestamp?: Date | undefined;
  MetricName?: string | undefined;
};
/** Returns the alarm in a CloudWatch list entry. */
export const activeAlarmFrom = (alarm: CloudWatchAlarm): ActiveAlarm => ({
  arn: alarm.AlarmArn ?? '',
  name: alarm.AlarmName ?? '',
  description: alarm.AlarmDescription ?? '',
  reason: alarm.StateReason ?? '',
  since: alarm.StateUpdatedTimestamp?.getTime() ?? 0,
  metric: alarm.MetricName ?? null,
});
