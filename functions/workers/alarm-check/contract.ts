import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Sends the alarms that are on to new subscribers, because CloudWatch sends an alarm only when it starts, and an unconfirmed
 * subscription receives none. Checks once a day whether anybody receives alarms.
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
