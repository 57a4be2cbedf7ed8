import { believedTime, type Happening } from './event.ts';
import { uuidV5 } from './ids.ts';
import type { Decoded } from './message.ts';
import { fires, type Rule } from './rule.ts';
import { type SensorState, step } from './sensor-state.ts';

/** One event that came of a message, and the rules that fire for it, each with the hit that it makes. */
export type Decided = {
  id: number;
  uuid: string;
  /** ms: when it happened. */
  createDate: number;
  happening: Happening;
  hits: { ruleId: number; hitId: number }[];
};

/** What was decided of the message `uuid`: enough to carry it out, and to carry it out again after a crash. */
export type Decision = { uuid: string; receiveDate: number; decided: Decided[] };

type Message = { uuid: string; receiveDate: number; sensorId: string };
/** Draws a time-ordered id for a time, ms. */
type Draw = (time: number) => number;

/** No rule's rate limit asks for more, ms. */
const LONGEST_RATE_LIMIT = 86_400_000;

const remember = (fired: SensorState['fired'], hits: readonly Decided[]): SensorState['fired'] => {
  const now = Math.max(0, ...hits.map(({ createDate }) => createDate));
  const old = Object.entries(fired).filter(([, time]) => now - time <= LONGEST_RATE_LIMIT);
  const fresh = hits.flatMap(({ createDate, hits: all }) =>
    all.map(({ ruleId }) => [String(ruleId), createDate] as const),
  );
  return fresh.length === 0 ? fired : Object.fromEntries([...old, ...fresh]);
};

/** What a message does to a sensor's state, before any rule is asked: which events came of it. */
export const happenings = (state: SensorState, decoded: Decoded, message: Message) => {
  const { state: next, happened } = step(state, decoded.signal, message.receiveDate);
  const createDate = believedTime(decoded.deviceTime, message.receiveDate);
  const events = happened.map((happening, at) => ({
    uuid: at === 0 ? message.uuid : uuidV5(message.sensorId, message.uuid, happening.action),
    createDate,
    happening,
  }));
  return { next, events };
};

/**
 * The whole decision: the same state, message and rules give the same one, but for the ids drawn. `rulesFor` gives the
 * rules that were loaded for an event's situation.
 */
export const decide = (
  state: SensorState,
  events: ReturnType<typeof happenings>['events'],
  message: Message,
  rulesFor: (happening: Happening) => readonly Rule[],
  draw: Draw,
): { fired: SensorState['fired']; decision: Decision } => {
  const decided = events.map((event): Decided => {
    const hits = rulesFor(event.happening)
      .filter((rule) => fires(rule, event.happening, event.createDate, state.fired[rule.id]))
      .map((rule) => ({ ruleId: rule.id, hitId: draw(event.createDate) }));
    return { ...event, id: draw(event.createDate), hits };
  });
  const { uuid, receiveDate } = message;
  return { fired: remember(state.fired, decided), decision: { uuid, receiveDate, decided } };
};
