import type { SensorTask } from '#shared/queue/task.ts';
import type { Received } from '#shared/worker/attempt.ts';
import { consume } from '#shared/worker/consume.ts';
import { processing } from './contract.ts';
import type { MessageTask } from './inputs.ts';
import { processMessages } from './messages.ts';

type Run = [Received<SensorTask>, ...Received<SensorTask>[]];

/** Groups consecutive tasks by customer, because the sensor may have moved between them. */
const runsByCustomer = (received: readonly Received<SensorTask>[]): Run[] => {
  const runs: Run[] = [];
  for (const message of received) {
    const last = runs.at(-1);
    if (last?.[0].task.customerId === message.task.customerId) last.push(message);
    else runs.push([message]);
  }
  return runs;
};

const isMessageTask = (received: Received<SensorTask>): received is MessageTask =>
  received.task.type === 'process_messages' || received.task.type === 'process_notice';

export const handler = consume(processing, async (received, deps, timeLeft) => {
  for (const run of runsByCustomer(received)) {
    const [{ task }] = run;
    if (task.type === 'escalate' && task.failed) {
      const { hurryFailedRound } = await import('./failed-round.ts');
      await hurryFailedRound(deps, task, task.failed);
    } else if (task.type === 'escalate') {
      // Few alarms escalate, so this code is loaded with the first of them, not at each start.
      const { escalate } = await import('./escalate.ts');
      await escalate(deps, task);
    } else if (task.type === 'check_alarm') {
      const { checkAlarm } = await import('./check-alarm.ts');
      await checkAlarm(deps, task);
    } else if (task.type === 'check_sensor') {
      const { checkTime } = await import('./check-time.ts');
      await checkTime(deps, task);
    } else {
      await processMessages(deps, task, run.filter(isMessageTask), timeLeft);
    }
  }
});
