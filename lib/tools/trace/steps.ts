import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { TracedDelivery } from './deliveries.ts';
import type { AcceptedMessage, EventTrace, MessageTrace } from './read.ts';

/**
 * One step in the course of an event. `at` is ms since 1970, or null if no time is stored. `after` is ms since the
 * previous step, or null if either time is missing.
 */
export type TraceStep = { step: string; at: number | null; after: number | null; says: string };

const untimed = (step: string, says: string): TraceStep => ({ step, at: null, after: null, says });
const at = (step: string, time: number, before: number | null, says: string): TraceStep => ({
  step,
  at: time,
  after: before === null ? null : time - before,
  says,
});

const decodedText = (signal: AcceptedMessage['signal']): string => {
  if (!signal) return 'not decoded, because its sensor is unknown now';
  return 'status' in signal ? `${signal.kind}: ${signal.status}` : signal.kind;
};

const acceptedOf = ({ uuid, receiveDate, bytes, signal }: AcceptedMessage): TraceStep[] => [
  at('accepted', receiveDate, null, `message ${uuid}, ${bytes} bytes`),
  untimed('decoded', decodedText(signal)),
];

const eventOf = ({ event }: EventTrace): TraceStep[] => {
  const { id, uuid, type, action, createDate, receiveDate, source } = event;
  const cause = source === null ? [at('detected', receiveDate, null, 'by the service itself, without a message')] : [];
  return [
    ...cause,
    at('event', createDate, receiveDate, `${type}/${action}, id ${id}, uuid ${uuid} (time of occurrence)`),
  ];
};

/**
 * Returns when (ms) the rules were evaluated, which is the time of the first hit or delivery. Null if there are none.
 */
const evaluatedAt = ({ hits, sent }: EventTrace): number | null => {
  const originals = sent.filter(({ delivery }) => delivery.replayOf === undefined);
  const dates = [...hits, ...originals.map(({ delivery }) => delivery)].map(({ createDate }) => createDate);
  return dates.length === 0 ? null : Math.min(...dates);
};

const evaluatedOf = (life: EventTrace): TraceStep => {
  const time = evaluatedAt(life);
  return time === null
    ? untimed('evaluated', 'nobody was notified, so the time is not stored. The logs have it: "a decision was applied"')
    : at(
        'evaluated',
        time,
        life.event.receiveDate,
        '(time of its first hit or delivery, which is written right after)',
      );
};

const rulesOf = ({ verdicts, others }: EventTrace): TraceStep[] => [
  ...verdicts.map(({ ruleId, name, fired, reasons }) => {
    const because = reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
    return untimed('rule', `${ruleId} "${name}" ${fired ? 'fired' : 'did not fire'}${because}`);
  }),
  ...(others > 0 ? [untimed('rules', `${others} more for other situations, sensors or groups`)] : []),
];

const sentText = (messages: HitItem['messages']): string =>
  `${messages.filter(({ wasSend }) => wasSend).length} of ${messages.length} messages were sent`;

const hitOf = ({ id, createDate, ruleId, messages }: HitItem, evaluated: number): TraceStep => {
  const first = messages.filter(({ step }) => step === 0);
  return at('hit', createDate, evaluated, `${id} of rule ${ruleId}: ${sentText(first)}`);
};

/**
 * Returns a hit's escalation steps. Repeated notifications to a recipient count as further attempts at the same
 * message.
 */
const escalationOf = ({ id, createDate, messages }: HitItem): TraceStep[] => {
  const steps = Map.groupBy(
    messages.filter(({ step }) => step > 0),
    ({ step }) => step,
  );
  return [...steps].map(([step, messagesOfStep]) => {
    const time = Math.min(...messagesOfStep.map((message) => message.createDate));
    return at(
      'step',
      time,
      createDate,
      `${step} of hit ${id}, which nobody had acknowledged: ${sentText(messagesOfStep)}`,
    );
  });
};

const acknowledgedOf = ({ id, createDate, acknowledgement: by }: HitItem): TraceStep[] => {
  if (!by) return [];
  const who = by.userId === null ? by.name : `${by.name} (user ${by.userId})`;
  return [at('acknowledged', by.date, createDate, `hit ${id} by ${who}`)];
};

/**
 * Returns the steps for a delivery and its attempts. Each attempt is timed from the end of the previous one, and the
 * first attempt from the creation of the delivery.
 */
export const deliverySteps = ({ delivery, attempts }: TracedDelivery, before: number | null): TraceStep[] => {
  const { id, webhookId, person, createDate, state, reason, nextAttempt, replayOf, hit } = delivery;
  const cause = hit ? `for hit ${hit.id}` : 'without a rule';
  const origin = replayOf ? `replay of ${replayOf}` : cause;
  const next = nextAttempt && state === 'retrying' ? `, next attempt at ${new Date(nextAttempt).toISOString()}` : '';
  const to = person ? `user ${person.userId} by ${person.by}` : `webhook ${webhookId}`;
  const says = `${id} to ${to}, ${origin}: ${state}${reason ? ` (${reason})` : ''}${next}`;
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

const outcomesOf = (life: EventTrace): TraceStep[] => {
  const { event, hits, sent } = life;
  const evaluated = evaluatedAt(life) ?? event.receiveDate;
  return [
    ...hits.map((hit) => hitOf(hit, evaluated)),
    ...sent.flatMap((part) => {
      const hit = hits.find(({ id }) => id === part.delivery.hit?.id);
      const original = sent.find(({ delivery }) => delivery.id === part.delivery.replayOf);
      return deliverySteps(part, original?.delivery.createDate ?? hit?.createDate ?? evaluated);
    }),
    ...hits.flatMap(escalationOf),
    ...hits.flatMap(acknowledgedOf),
  ];
};

const notYet =
  'none yet, because the decision was not applied. The message is in the queue `events`, or a process died and it will be redelivered';

/** Returns all steps in order: accepted and decoded, then each event with rules, hits and deliveries. */
export const traceSteps = ({ accepted, events }: MessageTrace): TraceStep[] => [
  ...(accepted ? acceptedOf(accepted) : []),
  ...(events.length === 0 ? [untimed('event', notYet)] : []),
  ...events.flatMap((event) => [...eventOf(event), evaluatedOf(event), ...rulesOf(event), ...outcomesOf(event)]),
];

/** Formats a duration (ms) for display. */
const duration = (ms: number): string => {
  if (ms < 10_000) return `${ms} ms`;
  return ms < 600_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
};

/** Formats each step as a line: time (UTC), delay since the previous step, and details. */
export const formatSteps = (steps: readonly TraceStep[]): string[] =>
  steps.map(({ step, at, after, says }) => {
    const time = at === null ? '' : new Date(at).toISOString().replace('T', ' ');
    const delay = after === null ? '' : `${after < 0 ? '-' : '+'}${duration(Math.abs(after))}`;
    return `${time.padEnd(24)}  ${delay.padStart(10)}  ${step.padEnd(12)}  ${says}`;
  });
