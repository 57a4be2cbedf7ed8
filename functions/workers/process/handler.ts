import type { Signal } from '#shared/domain/event/message.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { ProcessMessages, ProcessNotice, SensorTask } from '#shared/queue/task.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import { consume, type Received } from '#shared/worker/consume.ts';
import { ComeAgain, PutAside } from '#shared/worker/failure.ts';
import { checkTime } from './check-time.ts';
import { processing } from './contract.ts';
import { finishEarlier, finishOrPutAside } from './finish-earlier.ts';
import { type ProcessDeps, type SensorPlace, sensorContextOf } from './sensor-context.ts';
import { inputsOf, judgedUpTo, type SensorInput, wasJudged } from './sensor-input.ts';
import { settle } from './settle.ts';
import { stepThrough } from './step-through.ts';

/** How much time (ms) must be left to apply a decision. */
const MARGIN_MS = 5_000;

type ReceivedInput = Received<ProcessMessages | ProcessNotice>;
const isInput = (entry: Received<SensorTask>): entry is ReceivedInput =>
  entry.task.type !== 'check_sensor' && entry.task.type !== 'escalate';

const likely = new Set<Signal['kind']>(['fall', 'bed_exit']);
/** Is it likely to make an event? Then everything that an alarm needs is read at once. */
const mayAlarm = ({ notice, message }: SensorInput): boolean =>
  notice !== undefined || (message !== undefined && likely.has(message.decoded.signal.kind));

/** What is to be judged, and the task that is done once all of it is judged. */
type Input = SensorInput & { task: ReceivedInput };

/**
 * May a decision of these be stored but not applied? They were received before, or accepted no later than what was judged:
 * a dead letter that is put back counts its receives anew.
 */
const mayBeDecided = (inputs: readonly Input[], { judged }: StateItem): boolean =>
  inputs.some(({ task, receiveDate }) => task.receives > 1 || (judged && receiveDate <= judged.receiveDate));

/** Judges the messages of one sensor, all of the time when it belonged to one customer. */
const processInputs = async (
  deps: ProcessDeps,
  place: SensorPlace,
  received: readonly ReceivedInput[],
  timeLeft: () => number,
): Promise<void> => {
  const { customerId, sensorId } = place;
  const read = received.map(async (task) => (await inputsOf(deps, task)).map((input) => ({ ...input, task })));
  const inputs: Input[] = (await Promise.all(read)).flat();
  let { context, state } = await sensorContextOf(deps, place, inputs.some(mayAlarm));
  if (!context) return gone(deps, place, received);
  // An earlier decision may be applied in part: it is finished before any message counts as done.
  const [{ putAside } = { putAside: undefined }] = received;
  if (putAside) state = await finishOrPutAside(deps, context, state, putAside);
  else if (mayBeDecided(inputs, state)) await finishEarlier(deps, context, state);
  let open = inputs.filter((input) => !wasJudged(input, state.judged));
  const endNotices = async (done: readonly Input[]): Promise<void> => {
    for (const { notice } of done) if (notice) await deps.store.events.endNotice(customerId, sensorId, notice.uuid);
  };
  await endNotices(inputs.filter((input) => !open.includes(input)));
  for (;;) {
    for (const task of received) if (!open.some((input) => input.task === task)) task.done();
    if (open.length === 0) return;
    if (timeLeft() < MARGIN_MS) throw new ComeAgain('no time left for the rest');
    const stepped = await stepThrough(deps, context, state, open);
    if (!stepped) {
      ({ context, state } = await sensorContextOf(deps, place, true, state));
      if (!context) return gone(deps, place, received);
      continue;
    }
    const taken = open.slice(0, stepped.taken);
    state = await settle(deps, context, state, { ...stepped, judged: judgedUpTo(taken, state.judged) });
    await endNotices(taken);
    open = open.slice(stepped.taken);
  }
};

/**
 * The sensor belonged to nobody and is gone or linked by now, or was erased: nobody is told what it said before. Any other
 * one of a customer leaves its record for longer than its messages may wait; without one they are never done: the sensor
 * is in another table.
 */
const gone = async (
  { store, log }: ProcessDeps,
  { customerId, sensorId }: SensorPlace,
  received: readonly ReceivedInput[],
): Promise<void> => {
  const isAnybodys = customerId !== UNASSIGNED && received.some(({ task }) => task.type === 'process_messages');
  if (isAnybodys && !(await store.sensors.wasErased(customerId, sensorId)))
    throw new PutAside('the table has no such sensor');
  log('info', 'a sensor has gone before its messages were judged', { customerId, sensorId });
  for (const { task, done } of received) {
    if (task.type === 'process_notice') await store.events.endNotice(customerId, sensorId, task.uuid);
    done();
  }
};

/** Groups consecutive tasks by customer, because the sensor may have moved between them. */
const runsOf = (received: readonly Received<SensorTask>[]): Received<SensorTask>[][] => {
  const runs: Received<SensorTask>[][] = [];
  for (const entry of received) {
    const last = runs.at(-1);
    if (last?.[0]?.task.customerId === entry.task.customerId) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
};

export const handler = consume(processing, async (all, deps, timeLeft) => {
  for (const received of runsOf(all)) {
    const [first] = received;
    if (!first) continue;
    if (first.task.type === 'escalate') {
      // Few alarms escalate: what only these need is loaded with the first of them, not at each start.
      const { escalate } = await import('./escalate.ts');
      await escalate(deps, first.task);
      continue;
    }
    const { customerId, sensorId, type } = first.task;
    if (type !== 'check_sensor') {
      await processInputs(deps, { customerId, sensorId }, received.filter(isInput), timeLeft);
      continue;
    }
    // Only after everything is read it is known whether time alone raises an alarm.
    const { context, state } = await sensorContextOf(deps, { customerId, sensorId }, true);
    if (context && !context.former) await checkTime(deps, context, state);
    else if (state.duePk) await deps.store.states.watch(customerId, sensorId, state, null);
  }
});
