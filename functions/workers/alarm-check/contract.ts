import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Sends active alarms to new subscribers, because CloudWatch sends an alarm only when it starts, and an unconfirmed
 * subscription does not receive it. Checks once a day whether anybody receives alarms.
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
