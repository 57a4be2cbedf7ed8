import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Sends active alarms to new subscribers, because CloudWatch sends an alarm only when it starts, and unconfirmed
 * subscriptions do not receive it. Once a day, checks whether anyone receives alarms.
 */
export const alarmCheck = scheduled({
  name: 'alarm-check',
  everySeconds: 600,
  timeoutSeconds: 30,
  uses: [
    'list:subscriptions',
    'list:alarms',
    'send:alarms',
    'alarmSubscribers.get',
    'alarmSubscribers.put',
    'users.list',
    'send:mail',
    'measure',
  ],
});
