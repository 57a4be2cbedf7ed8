import { type ActiveAlarm, activeAlarmFrom } from '../domain/people/active-alarm.ts';
import { CloudWatchClient, type CloudWatchClientConfig, paginateDescribeAlarms } from './cloudwatch-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Lists the active alarms. Rejects if they cannot be read. */
export type ListActiveAlarms = () => Promise<readonly ActiveAlarm[]>;

/** Returns a function that lists the active alarms for a topic. Alarms in other stages notify other topics. */
export const cloudWatchAlarms = (config: CloudWatchClientConfig, topicArn: string): ListActiveAlarms => {
  const client = withFreshSockets(
    new CloudWatchClient({ maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config }),
  );
  return async () => {
    const alarms: ActiveAlarm[] = [];
    const query = { StateValue: 'ALARM', ActionPrefix: topicArn } as const;
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, query))
      alarms.push(...MetricAlarms.map(activeAlarmFrom));
    return alarms;
  };
};
