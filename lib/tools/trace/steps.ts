import type { HitItem } from '../../../shared/store/rule-hits.ts';
import type { Sent } from './deliveries.ts';
import type { EventLife, Life, Said } from './read.ts';

/**
 * One step of an event's life. `at`: ms since 1970, null where no time of it is kept; `after`: ms since the step that it
 * follows, null where either time is missing.
 */
export type Step = { step: string; at: number | null; after: number | null; says: string };

const untimed = (step: string, says: string): Step => ({ step, at: null, after: null, says });
const at = (step: string, time: number, before: number | null, says: string): Step => ({
  ...{ step, at: time, after: before === null ? null : time - before, says },
});

const acceptedOf = ({ uuid, receiveDate, bytes, signal }: Said): Step[] => [
  at('accepted', receiveDate, null, `message ${uuid}, ${bytes} bytes`),
  untimed(
    'decoded',
    signal ? `${signal.kind}${'status' in signal ? `: ${signal.status}` : ''}` : 'not: its sensor has gone',
  ),
];

const eventOf = ({ event }: EventLife): Step[] => {
  const { id, uuid, type, action, createDate, receiveDate, source } = event;
  const made = source === null ? [at('noticed', receiveDate, null, 'by the service itself: no message caused it')] : [];
  return [
    ...made,
    at('event', createDate, receiveDate, `${type}/${action}, id ${id}, uuid ${uuid}; the time is when it happened`),
  ];
};

const rulesOf = ({ verdicts, others }: EventLife): Step[] => [
  ...verdicts.map(({ ruleId, name, fired, why }) => {
    const because = why.length > 0 ? `: ${why.join('; ')}` : '';
    return untimed('rule', `${ruleId} "${name}" ${fired ? 'fired' : 'did not fire'}${because}`);
  }),
  ...(others > 0 ? [untimed('rules', `${others} more watch other situations, sensors or groups`)] : []),
];

const hitOf = ({ id, createDate, ruleId, messages }: HitItem, receiveDate: number): Step => {
  const told = messages.filter(({ wasSend }) => wasSend).length;
  return at(
    'hit',
    createDate,
    receiveDate,
    `${id} of rule ${ruleId}: ${told} of ${messages.length} messages were sent`,
  );
};

/** A delivery and its attempts, each after the one before; the first one after the delivery. */
export const sentSteps = ({ delivery, attempts }: Sent, before: number | null): Step[] => {
  const { id, webhookId, createDate, state, reason, nextAttempt, replayOf, hit } = delivery;
  const of = replayOf ? `repeats ${replayOf}` : hit ? `for hit ${hit.id}` : 'without a rule';
  const next = nextAttempt && state === 'retrying' ? `, next attempt at ${new Date(nextAttempt).toISOString()}` : '';
  const says = `${id} to webhook ${webhookId}, ${of}: ${state}${reason ? ` (${reason})` : ''}${next}`;
  let last = createDate;
  return [
    at('delivery', createDate, before, says),
    ...attempts.map(({ number, startDate, durationMs, status, error }) => {
      const step = at('attempt', startDate, last, `${number}: ${status ?? error} in ${durationMs} ms`);
      last = startDate + durationMs;
      return step;
    }),
  ];
};

const outcomesOf = ({ event: { receiveDate }, hits, sent }: EventLife): Step[] => [
  ...hits.map((hit) => hitOf(hit, receiveDate)),
  ...sent.flatMap((one) => {
    const hit = hits.find(({ id }) => id === one.delivery.hit?.id);
    const original = sent.find(({ delivery }) => delivery.id === one.delivery.replayOf);
    return sentSteps(one, original?.delivery.createDate ?? hit?.createDate ?? receiveDate);
  }),
];

const nothing =
  'none: its decision is not carried out yet. It waits in the queue `events`, or a process died and the message comes again';

/** A life as steps in their order: what was accepted and understood, then each event with its rules, hits and deliveries. */
export const stepsOf = ({ said, events }: Life): Step[] => [
  ...(said ? acceptedOf(said) : []),
  ...(events.length === 0 ? [untimed('event', nothing)] : []),
  ...events.flatMap((one) => [...eventOf(one), ...rulesOf(one), ...outcomesOf(one)]),
];

/** Delays as people read them. */
const delay = (ms: number): string => {
  const size = Math.abs(ms);
  const text =
    size < 10_000
      ? `${size} ms`
      : size < 600_000
        ? `${(size / 1_000).toFixed(1)} s`
        : `${Math.round(size / 60_000)} min`;
  return `${ms < 0 ? '-' : '+'}${text}`;
};

/** A line for each step: time (UTC), delay to the step before it, and what happened. */
export const linesOf = (steps: readonly Step[]): string[] =>
  steps.map(({ step, at, after, says }) => {
    const time = at === null ? '' : new Date(at).toISOString().replace('T', ' ');
    const waited = after === null ? '' : delay(after);
    return `${time.padEnd(24)}  ${waited.padStart(10)}  ${step.padEnd(8)}  ${says}`;
  });
