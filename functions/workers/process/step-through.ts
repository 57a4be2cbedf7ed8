import { inOrder, timeOrderedId } from '#shared/domain/ids.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';
import type { SensorInput } from './sensor-input.ts';
import { type NewEvent, type Step, stepByInput } from './step-by-input.ts';

/** The most events of one decision, which is stored in one item with the state. A message is never divided. */
const EVENTS_OF_ONE_DECISION = 25;
/** The most rule hits of one decision, if every rule fires for every event: so many are written within one invocation. */
const HITS_OF_ONE_DECISION = 250;

/** The most events that are decided together: fewer for a customer with many rules. */
const mostEvents = ({ customer }: SensorContext): number =>
  Math.max(1, Math.min(EVENTS_OF_ONE_DECISION, Math.floor(HITS_OF_ONE_DECISION / (customer?.rules ?? 1))));

/** Draws event ids. Events of the same time get consecutive ids, also after those of the last decision. */
export const idsAfter = ({ random }: Pick<ProcessDeps, 'random'>, { decision }: StateItem) =>
  inOrder((time) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()), decision?.decided.at(-1));

/** Is a notice an event already? Two tasks may lead to one: the sweep sends another for what waits for long. */
const isTold = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  { notice }: SensorInput,
  before: readonly NewEvent[],
): Promise<boolean> =>
  notice !== undefined &&
  (before.some(({ uuid }) => uuid === notice.uuid) || (await store.events.isThere(customerId, sensor.id, notice.uuid)));

/** The step by the first `taken` inputs. */
type SteppedThrough = Step & { events: NewEvent[]; taken: number };

/**
 * Steps the state of a sensor by inputs, each from the state that the one before left. Null when one makes an event but the
 * context may be some seconds old.
 */
export const stepThrough = async (
  deps: ProcessDeps,
  context: SensorContext,
  before: StateItem,
  all: readonly SensorInput[],
): Promise<SteppedThrough | null> => {
  const withIds = { ...deps, idOf: idsAfter(deps, before) };
  const stepped: SteppedThrough = { next: before, events: [], timings: null, taken: 0 };
  for (const input of all) {
    if (stepped.events.length >= mostEvents(context)) break;
    stepped.taken += 1;
    if (await isTold(deps, context, input, stepped.events)) continue;
    const step = await stepByInput(withIds, context, stepped.next, input);
    if (!step) return null;
    stepped.next = step.next;
    stepped.timings = step.timings ?? stepped.timings;
    stepped.events.push(...step.events);
  }
  return stepped;
};
