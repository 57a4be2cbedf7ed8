import { makers } from '../../../shared/domain/makers/makers.ts';
import type { Signal } from '../../../shared/domain/message.ts';
import { consume, type Received } from '../../../shared/queue/consume.ts';
import type { ProcessMessages, ProcessNotice, SensorTask } from '../../../shared/queue/task.ts';
import type { StateItem } from '../../../shared/store/states.ts';
import { checkTime } from './check-time.ts';
import { processing } from './contract.ts';
import { type ProcessDeps, sensorContextOf } from './sensor-context.ts';
import { inputsOf, judgedUpTo, type SensorInput, wasJudged } from './sensor-input.ts';
import { finishEarlier, settle } from './settle.ts';
import { stepThrough } from './step-through.ts';

/** How much time (ms) must be left to apply a decision. */
const MARGIN_MS = 5_000;

type ReceivedInput = Received<ProcessMessages | ProcessNotice>;
const isInput = (one: Received<SensorTask>): one is ReceivedInput => one.task.type !== 'check_sensor';

const likely = new Set<Signal['kind']>(['fall', 'bed_exit']);
/** Is the message likely to make an event? Then everything that an alarm needs is read at once. */
const mayAlarm = ({ task }: ReceivedInput): boolean => {
  if (task.type === 'process_notice') return true;
  const { manufacturer, messages } = task;
  return (
    manufacturer !== undefined &&
    messages.some((raw) => likely.has(makers[manufacturer].decode(JSON.parse(raw)).signal.kind))
  );
};

/** The messages that are not judged yet. `tasks`: the tasks that are done once each message is judged. */
type Open = SensorInput & { task: ReceivedInput; isLast: boolean };

const openOf = async (
  deps: ProcessDeps,
  received: readonly ReceivedInput[],
  { judged }: StateItem,
): Promise<Open[]> => {
  const open: Open[] = [];
  for (const task of received) {
    const inputs = (await inputsOf(deps, task)).filter((one) => !wasJudged(one, judged));
    if (inputs.length === 0) task.done();
    open.push(...inputs.map((one, at) => ({ ...one, task, isLast: at === inputs.length - 1 })));
  }
  return open;
};

/** Judges the messages of one sensor, all of the time when it belonged to one customer. */
const processInputs = async (
  deps: ProcessDeps,
  customerId: number,
  sensorId: string,
  received: readonly ReceivedInput[],
  timeLeft: () => number,
): Promise<void> => {
  let { context, state } = await sensorContextOf(deps, customerId, sensorId, received.some(mayAlarm));
  if (!context) return gone(deps, customerId, sensorId, received);
  // An earlier decision may be applied in part: it is finished before any message counts as done.
  if (received.some(({ receives }) => receives > 1)) await finishEarlier(deps, context, state);
  let open = await openOf(deps, received, state);
  while (open.length > 0) {
    if (timeLeft() < MARGIN_MS) throw new Error('no time left for the rest');
    const stepped = await stepThrough(deps, context, state, open);
    if (!stepped) {
      ({ context, state } = await sensorContextOf(deps, customerId, sensorId, true, state));
      if (!context) return gone(deps, customerId, sensorId, received);
      continue;
    }
    const taken = open.slice(0, stepped.taken);
    state = await settle(deps, context, state, stepped, judgedUpTo(taken, state.judged));
    for (const { notice } of taken) if (notice) await deps.store.events.endNotice(customerId, sensorId, notice.uuid);
    for (const { task, isLast } of taken) if (isLast) task.done();
    open = open.slice(stepped.taken);
  }
};

/** The sensor belonged to nobody and is gone or linked by now: nobody is told what it said before. */
const gone = (
  { log }: ProcessDeps,
  customerId: number,
  sensorId: string,
  received: readonly Received<SensorTask>[],
): void => {
  log('info', 'a sensor has gone before its messages were judged', { customerId, sensorId });
  for (const { done } of received) done();
};

/** Groups consecutive tasks by customer, because the sensor may have moved between them. */
const runsOf = (received: readonly Received<SensorTask>[]): Received<SensorTask>[][] => {
  const runs: Received<SensorTask>[][] = [];
  for (const one of received) {
    const last = runs.at(-1);
    if (last?.[0]?.task.customerId === one.task.customerId) last.push(one);
    else runs.push([one]);
  }
  return runs;
};

export const handler = consume(processing, async (all, deps, timeLeft) => {
  for (const received of runsOf(all)) {
    const [first] = received;
    if (!first) continue;
    const { customerId, sensorId, type } = first.task;
    if (type !== 'check_sensor') {
      await processInputs(deps, customerId, sensorId, received.filter(isInput), timeLeft);
      continue;
    }
    // Only after everything is read it is known whether time alone raises an alarm.
    const { context, state } = await sensorContextOf(deps, customerId, sensorId, true);
    if (context && !context.former) await checkTime(deps, context, state);
    else if (state.duePk) await deps.store.states.watch(customerId, sensorId, state, null);
  }
});
