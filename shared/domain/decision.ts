import { believedTime, type Happening } from './event.ts';
import { uuidV5 } from './ids.ts';
import type { Decoded } from './message.ts';
import { fires, type Rule } from './rule.ts';
import type { HitPlace } from './rule-hit.ts';
import { fallSilent, type SensorState, step } from './sensor-state.ts';

/** One event that came of a message, and the rules that fire for it, each of which makes a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** ms: when it happened. */
  createDate: number;
  happening: Happening;
  /** Ids of the rules. */
  fired: number[];
};

/**
 * What was decided of the message `uuid`: enough to carry it out, and to carry it out again after a crash.
 * `byTime`: no message caused it, the service did, because of the time. `after`: a hit of the customer from before; those
 * of this decision come later. Null when it makes none.
 */
export type Decision = {
  uuid: string;
  receiveDate: number;
  byTime: boolean;
  decided: Decided[];
  after: HitPlace | null;
};

/** What the decision is about; see Decision. */
type Cause = { uuid: string; receiveDate: number; sensorId: string; byTime: boolean };
/** Draws a time-ordered id for a time, ms. */
type Draw = (time: number) => number;

/** No rule's rate limit asks for more, ms. */
const LONGEST_RATE_LIMIT = 86_400_000;

const remember = (fired: SensorState['fired'], hits: readonly Decided[]): SensorState['fired'] => {
  const now = Math.max(0, ...hits.map(({ createDate }) => createDate));
  const old = Object.entries(fired).filter(([, time]) => now - time <= LONGEST_RATE_LIMIT);
  const fresh = hits.flatMap(({ createDate, fired: all }) =>
    all.map((ruleId) => [String(ruleId), createDate] as const),
  );
  return fresh.length === 0 ? fired : Object.fromEntries([...old, ...fresh]);
};

const dated = (happened: readonly Happening[], { uuid, sensorId }: Cause, createDate: number) =>
  happened.map((happening, at) => ({
    uuid: at === 0 ? uuid : uuidV5(sensorId, uuid, happening.action),
    createDate,
    happening,
  }));

/** What a message does to a sensor's state, before any rule is asked: which events came of it. */
export const happenings = (state: SensorState, decoded: Decoded, cause: Cause) => {
  const { state: next, happened } = step(state, decoded.signal, cause.receiveDate);
  return { next, events: dated(happened, cause, believedTime(decoded.deviceTime, cause.receiveDate)) };
};

/** What the silence of a sensor does to its state. */
export const silence = (state: SensorState, cause: Cause) => {
  const { state: next, happened } = fallSilent(state);
  return { next, events: dated(happened, cause, cause.receiveDate) };
};

/** The cause of an event that the service makes when a sensor falls silent; the same silence gives the same one. */
export const silenceOf = (sensorId: string, { lastSeen }: SensorState, now: number): Cause => ({
  uuid: uuidV5(sensorId, 'silence', lastSeen),
  receiveDate: now,
  sensorId,
  byTime: true,
});

/**
 * The whole decision: the same state, message and rules give the same one, but for the ids drawn. `rulesFor` gives the
 * rules that were loaded for an event's situation.
 */
export const decide = (
  state: SensorState,
  events: ReturnType<typeof happenings>['events'],
  { uuid, receiveDate, byTime }: Cause,
  rulesFor: (happening: Happening) => readonly Rule[],
  draw: Draw,
): { fired: SensorState['fired']; decision: Omit<Decision, 'after'> } => {
  const decided = events.map((event): Decided => {
    const fired = rulesFor(event.happening)
      .filter((rule) => fires(rule, event.happening, event.createDate, state.fired[rule.id]))
      .map(({ id }) => id);
    return { ...event, id: draw(event.createDate), fired };
  });
  return { fired: remember(state.fired, decided), decision: { uuid, receiveDate, byTime, decided } };
};
