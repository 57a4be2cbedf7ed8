import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { Sent } from './deliveries.ts';
import type { AcceptedMessage, EventLife, Life } from './read.ts';

/**
 * One step in the course of an event. `at` is ms since 1970, null when no time is stored; `after` is ms since the
 * step before it, null when either time is missing.
 */
export type Step = { step: string; at: number | null; after: number | null; says: string };

const untimed = (step: string, says: string): Step => ({ step, at: null, after: null, says });
const at = (step: string, time: number, before: number | null, says: string): Step => ({
  step,
  at: time,
  after: before === null ? null : time - before,
  says,
});

const decodedSaid = (signal: AcceptedMessage['signal']): string => {
  if (!signal) return 'not decoded: its sensor is not known any more';
  return 'status' in signal ? `${signal.kind}: ${signal.status}` : signal.kind;
};

const acceptedOf = ({ uuid, receiveDate, bytes, signal }: AcceptedMessage): Step[] => [
  at('accepted', receiveDate, null, `message ${uuid}, ${bytes} bytes`),
  untimed('decoded', decodedSaid(signal)),
];

const eventOf = ({ event }: EventLife): Step[] => {
  const { id, uuid, type, action, createDate, receiveDate, source } = event;
  const made = source === null ? [at('noticed', receiveDate, null, 'by the service itself: no message caused it')] : [];
  return [
    ...made,
    at('event', createDate, receiveDate, `${type}/${action}, id ${id}, uuid ${uuid}; the time is when it happened`),
  ];
};

/** When (ms) the rules were applied: the time of the first hit or delivery. Null when the event led to none. */
const judgedAt = ({ hits, sent }: EventLife): number | null => {
  const originals = sent.filter(({ delivery }) => delivery.replayOf === undefined);
  const dates = [...hits, ...originals.map(({ delivery }) => delivery)].map(({ createDate }) => createDate);
  return dates.length === 0 ? null : Math.min(...dates);
};

const judgedOf = (life: EventLife): Step => {
  const time = judgedAt(life);
  return time === null
    ? untimed('judged', 'when is not kept: nobody was told. The logs have it: "a decision was applied"')
    : at('judged', time, life.event.receiveDate, 'the time is that of its first hit or delivery, written right after');
};

const rulesOf = ({ verdicts, others }: EventLife): Step[] => [
  ...verdicts.map(({ ruleId, name, fired, why }) => {
    const because = why.length > 0 ? `: ${why.join('; ')}` : '';
    return untimed('rule', `${ruleId} "${name}" ${fired ? 'fired' : 'did not fire'}${because}`);
  }),
  ...(others > 0 ? [untimed('rules', `${others} more watch other situations, sensors or groups`)] : []),
];

const sentSaid = (messages: HitItem['messages']): string =>
  `${messages.filter(({ wasSend }) => wasSend).length} of ${messages.length} messages were sent`;

const hitOf = ({ id, createDate, ruleId, messages }: HitItem, judged: number): Step => {
  const first = messages.filter(({ step }) => step === 0);
  return at('hit', createDate, judged, `${id} of rule ${ruleId}: ${sentSaid(first)}`);
};

/** The steps of the escalation of a hit that were taken. Who was told again has further tries in the same message. */
const onwardOf = ({ id, createDate, messages }: HitItem): Step[] => {
  const steps = Map.groupBy(
    messages.filter(({ step }) => step > 0),
    ({ step }) => step,
  );
  return [...steps].map(([step, all]) => {
    const taken = Math.min(...all.map((message) => message.createDate));
    return at('step', taken, createDate, `${step} of hit ${id}, nobody had acknowledged it: ${sentSaid(all)}`);
  });
};

const takenOf = ({ id, createDate, acknowledgement: by }: HitItem): Step[] => {
  if (!by) return [];
  const who = by.userId === null ? by.name : `${by.name} (user ${by.userId})`;
  return [at('taken', by.date, createDate, `hit ${id} was acknowledged: ${who} takes care of it`)];
};

/**
 * The steps of a delivery and its attempts. Each attempt is timed from the end of the one before, the first one from
 * the delivery.
 */
export const sentSteps = ({ delivery, attempts }: Sent, before: number | null): Step[] => {
  const { id, webhookId, person, createDate, state, reason, nextAttempt, replayOf, hit } = delivery;
  const cause = hit ? `for hit ${hit.id}` : 'without a rule';
  const of = replayOf ? `repeats ${replayOf}` : cause;
  const next = nextAttempt && state === 'retrying' ? `, next attempt at ${new Date(nextAttempt).toISOString()}` : '';
  const to = person ? `user ${person.userId} by ${person.by}` : `webhook ${webhookId}`;
  const says = `${id} to ${to}, ${of}: ${state}${reason ? ` (${reason})` : ''}${next}`;
  let last = createDate;
  return [
    at('delivery', createDate, before, says),
    ...attempts.map(({ number, startDate, durationMs, status, error }) => {
      const step = at('attempt', startDate, last, `${number}: ${status ?? error ?? 'accepted'} in ${durationMs} ms`);
      last = startDate + durationMs;
      return step;
    }),
  ];
};

const outcomesOf = (life: EventLife): Step[] => {
  const { event, hits, sent } = life;
  const judged = judgedAt(life) ?? event.receiveDate;
  return [
    ...hits.map((hit) => hitOf(hit, judged)),
    ...sent.flatMap((part) => {
      const hit = hits.find(({ id }) => id === part.delivery.hit?.id);
      const original = sent.find(({ delivery }) => delivery.id === part.delivery.replayOf);
      return sentSteps(part, original?.delivery.createDate ?? hit?.createDate ?? judged);
    }),
    ...hits.flatMap(onwardOf),
    ...hits.flatMap(takenOf),
  ];
};

const nothing =
  'none: its decision is not applied yet. It waits in the queue `events`, or a process died and the message will be received again';

/** Gives all steps in their order: accepted and decoded, then each event with its rules, hits and deliveries. */
export const stepsOf = ({ accepted, events }: Life): Step[] => [
  ...(accepted ? acceptedOf(accepted) : []),
  ...(events.length === 0 ? [untimed('event', nothing)] : []),
  ...events.flatMap((event) => [...eventOf(event), judgedOf(event), ...rulesOf(event), ...outcomesOf(event)]),
];

/** Formats a duration (ms) for people. */
const duration = (ms: number): string => {
  if (ms < 10_000) return `${ms} ms`;
  return ms < 600_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
};

/** Formats each step as a line: time (UTC), delay since the step before, and what happened. */
export const linesOf = (steps: readonly Step[]): string[] =>
  steps.map(({ step, at, after, says }) => {
    const time = at === null ? '' : new Date(at).toISOString().replace('T', ' ');
    const waited = after === null ? '' : `${after < 0 ? '-' : '+'}${duration(Math.abs(after))}`;
    return `${time.padEnd(24)}  ${waited.padStart(10)}  ${step.padEnd(8)}  ${says}`;
  });
