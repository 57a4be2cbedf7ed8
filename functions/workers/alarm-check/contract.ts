import { scheduled } from '#shared/queue/consumer.ts';

/** Checks once a day whether anybody receives alarms. An unconfirmed subscription receives none. */
export const alarmCheck = scheduled({
  name: 'alarm-check',
  everySeconds: 86_400,
  timeoutSeconds: 30,
  uses: ['list:subscriptions', 'users.list', 'send:mail', 'measure'],
});
