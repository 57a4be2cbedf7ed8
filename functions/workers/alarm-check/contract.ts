import { scheduled } from '#shared/queue/consumer.ts';

/** Looks once a day whether anybody is told of alarms: an address that nobody confirmed is told of nothing. */
export const alarmCheck = scheduled({
  name: 'alarm-check',
  everySeconds: 86_400,
  timeoutSeconds: 30,
  uses: ['list:subscriptions', 'users.list', 'send:mail', 'measure'],
});
