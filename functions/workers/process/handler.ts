import type { SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isMostlyUnknown } from '#shared/domain/state/understanding.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { SensorTask } from '#shared/queue/task.ts';
import { consume, type Received } from '#shared/worker/consume.ts';
import { Quarantine, RetryLater } from '#shared/worker/failure.ts';
import { applyDecision, finishDecision, finishOrQuarantine } from './apply.ts';
import { loadSensor, type ProcessDeps, type SensorContext, type SensorKey, sensorKey } from './context.ts';
import { processing } from './contract.ts';
import { decide } from './decide.ts';
import {
  isLikelyEvent,
  type MessageTask,
  mayHaveDecision,
  type NoticeInput,
  readInputs,
  type SensorInput,
  wasJudged,
} from './inputs.ts';
import { type Judgement, judge } from './judge.ts';

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
      // Few alarms escalate, so this code is loaded on the first escalation, not at every start.
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

/** The minimum time (ms) that must be left to apply a decision. */
const MARGIN_MS = 5_000;

/** Processes sensor messages and notices, all received while the sensor belonged to the same customer. */
const processMessages = async (
  deps: ProcessDeps,
  key: SensorKey,
  tasks: readonly MessageTask[],
  timeLeft: () => number,
): Promise<void> => {
  const inputs = await readInputs(deps, tasks);
  const loaded = await loadSensor(deps, key, inputs.some(isLikelyEvent) ? 'latest' : 'recent');
  if (loaded.kind === 'gone') return discard(deps, key, tasks);

  let context = await finishUnfinished(deps, loaded.context, tasks, inputs);
  const position = context.state.judged;
  let pending = inputs.filter((input) => !wasJudged(input, position));
  await complete(deps, key, tasks, { judged: inputs.filter((input) => wasJudged(input, position)), pending });

  while (pending.length > 0) {
    if (timeLeft() < MARGIN_MS) throw new RetryLater('no time left for the rest');

    const judgement = await judge(deps, context, pending);
    if (judgement.kind === 'gone') return discard(deps, key, tasks);

    const outcome = await decide(deps, judgement.context, judgement);
    if (outcome.kind === 'decided') await applyDecision(deps, judgement.context, outcome.decision, outcome.rules);
    await noteObstacles(deps, judgement, outcome.state);

    context = { ...judgement.context, state: outcome.state };
    pending = pending.slice(judgement.inputs.length);
    await complete(deps, key, tasks, { judged: judgement.inputs, pending });
  }
};

/** Finishes the previous decision if a crash may have left it incomplete. Returns the resulting context. */
const finishUnfinished = async (
  deps: ProcessDeps,
  context: SensorContext,
  tasks: readonly MessageTask[],
  inputs: readonly SensorInput[],
): Promise<SensorContext> => {
  const [first] = tasks;
  if (first?.quarantineCause)
    return { ...context, state: await finishOrQuarantine(deps, context, first.quarantineCause) };
  if (mayHaveDecision(inputs, context.state.judged)) await finishDecision(deps, context);
  return context;
};

/** Updates fall alarms after a notice about the fall, and ends the notice. */
const endNotice = async (
  deps: ProcessDeps,
  { customerId, sensorId }: SensorKey,
  { uuid, notice }: NoticeInput,
): Promise<void> => {
  const { fall } = notice;
  if (fall !== undefined) {
    // Few falls are acknowledged, so this code is loaded on the first acknowledgement.
    const { followNotice } = await import('./settle-fall.ts');
    await followNotice(deps, { customerId, sensorId, fall }, notice);
    deps.failpoint('process.settled');
  }
  await deps.store.events.removeNotice(customerId, sensorId, uuid);
};

/** Ends the notices among the judged inputs, and marks tasks without pending inputs as done. */
const complete = async (
  deps: ProcessDeps,
  key: SensorKey,
  tasks: readonly MessageTask[],
  { judged, pending }: { judged: readonly SensorInput[]; pending: readonly SensorInput[] },
): Promise<void> => {
  for (const input of judged) if (input.kind === 'notice') await endNotice(deps, key, input);
  for (const task of tasks) if (!pending.some(({ received }) => received === task)) task.done();
};

/**
 * Discards messages from a sensor that was erased, or that was unlinked and is now gone or linked. A customer's sensor
 * record outlives pending messages. If there is no record, the sensor is in another table, so the messages are
 * quarantined.
 */
const discard = async (
  { store, log }: ProcessDeps,
  { customerId, sensorId }: SensorKey,
  tasks: readonly MessageTask[],
): Promise<void> => {
  const isOfCustomer = customerId !== UNASSIGNED && tasks.some(({ task }) => task.type === 'process_messages');
  if (isOfCustomer && !(await store.sensors.wasErased(customerId, sensorId)))
    throw new Quarantine('the table has no such sensor');
  log('info', 'messages of a deleted or moved sensor were discarded', { customerId, sensorId });
  for (const { task, done } of tasks) {
    if (task.type === 'process_notice') await store.events.removeNotice(customerId, sensorId, task.uuid);
    done();
  }
};

/**
 * Records in the sensor list whether most messages from a sensor are not understood, and whether the device marks falls
 * as silent. Counts each sensor for which the former becomes true.
 */
const noteObstacles = async (
  { store, measure }: ProcessDeps,
  { context, events }: Pick<Judgement, 'events'> & { context: SensorContext },
  state: SensorState,
): Promise<void> => {
  if (context.former) return;
  const { sensor } = context;
  const { customerId, sensorId } = sensorKey(context);
  const isMisunderstood = isMostlyUnknown(state);
  if (isMisunderstood !== (sensor.isMisunderstood ?? false)) {
    const hasChanged = await store.sensors.setObstacle(customerId, sensorId, 'isMisunderstood', isMisunderstood);
    if (hasChanged && isMisunderstood) measure('SensorsNotUnderstood');
  }
  const newest = events.findLast(({ happening }) => happening.type === 'fall')?.happening;
  const marksSilent = newest?.isSilent ?? sensor.marksSilent ?? false;
  if (marksSilent !== (sensor.marksSilent ?? false))
    await store.sensors.setObstacle(customerId, sensorId, 'marksSilent', marksSilent);
};
