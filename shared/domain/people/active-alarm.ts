/** An alarm of CloudWatch that is on. `since` is when (ms) it started, `metric` what it watches, if that is a single metric. */
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
/** Returns an alarm from a list of CloudWatch. */
export const activeAlarmFrom = (alarm: CloudWatchAlarm): ActiveAlarm => ({
  arn: alarm.AlarmArn ?? '',
  name: alarm.AlarmName ?? '',
  description: alarm.AlarmDescription ?? '',
  reason: alarm.StateReason ?? '',
  since: alarm.StateUpdatedTimestamp?.getTime() ?? 0,
  metric: alarm.MetricName ?? null,
});
