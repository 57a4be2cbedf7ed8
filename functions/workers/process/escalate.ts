import { isOver } from '#shared/domain/over.ts';
import { type Escalation, nextRound, opened, stepsOf } from '#shared/domain/rule/escalation.ts';
import { isForDuty } from '#shared/domain/rule/recipients.ts';
import type { Escalate } from '#shared/queue/task.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { EscalatedHit } from '#shared/store/rules/escalations.ts';
import { enqueueRound } from './enqueue-round.ts';
import { applyRound, cancelRound, contentOf, type RoundContext, roundContextOf } from './round.ts';
import type { ProcessDeps } from './sensor-context.ts';

/** A task that comes so many ms early comes again: clocks of hosts differ, and the sweep would be up to a minute late. */
const EARLY = 5_000;

/** A round that is not due yet: the sweep came early, to have it on the queue in time. Other tasks have nothing to do. */
const waitFor = async (deps: ProcessDeps, customerId: number, hit: EscalatedHit): Promise<void> => {
  const { escalation, dueAt, cause } = hit;
  const isLookedAt = Number(dueAt) <= deps.now();
  const isEarly = escalation.at - deps.now() <= EARLY;
  if (!isLookedAt && !isEarly) return;
  await enqueueRound(deps, { customerId, hitId: hit.id, uuid: cause.uuid }, escalation.at);
  if (isLookedAt) await deps.store.escalations.goOn(customerId, hit, escalation, deps.now());
};

/** Writes whom a round tells. Null when the hit has changed since it was read. */
const openRound = async (
  deps: ProcessDeps,
  context: RoundContext,
  reached: Escalation,
): Promise<EscalatedHit | null> => {
  const { customerId, hit } = context;
  const { to, messages } = contentOf(deps, context, reached);
  const escalation = { ...reached, to };
  if (!(await deps.store.escalations.open(customerId, hit, { escalation, messages }, deps.now()))) return null;
  return { ...hit, escalation, messages: [...hit.messages, ...messages] };
};

/** Decides the next round by one conditional write. Null when the hit has changed since it was read. */
const decideRound = async (deps: ProcessDeps, context: RoundContext): Promise<EscalatedHit | null> => {
  const { customerId, hit, rule, known } = context;
  const { now, store } = deps;
  const round = nextRound(rule, hit.escalation, hit.createDate);
  // The rule may have been given other steps since this one was noted.
  if (!round || round.at > now()) {
    if (round) await enqueueRound(deps, { customerId, hitId: hit.id, uuid: hit.cause.uuid }, round.at);
    await store.escalations.goOn(customerId, hit, round && { ...hit.escalation, at: round.at }, now());
    return hit;
  }
  const recipients = stepsOf(rule, round.kind, round.after).flatMap((step) => step.recipients);
  const nobodyOnDuty = isForDuty(recipients) && known.onDuty.length === 0;
  const decided = await openRound(deps, context, opened(hit.escalation, round, nobodyOnDuty));
  if (!decided) return null;
  if (nobodyOnDuty) deps.measure('NobodyOnDuty');
  deps.failpoint('escalate.taken');
  return decided;
};

/**
 * Goes on with an open round that a process has left. Its rule may name others by now: they are told, too, for those whom
 * it named may be gone. Null when the hit has changed since it was read.
 */
const resumeRound = async (deps: ProcessDeps, context: RoundContext): Promise<EscalatedHit | null> => {
  const { hit } = context;
  const { to = [] } = hit.escalation;
  const isComplete = contentOf(deps, context, hit.escalation).to.length === to.length;
  return hit.acknowledgement || isComplete ? hit : await openRound(deps, context, hit.escalation);
};

/** Gives null when the hit has changed since it was read, and has to be read again. */
const tryRound = async (deps: ProcessDeps, { customerId, hitId }: Escalate): Promise<object | null> => {
  const { store, now } = deps;
  const hit = await store.ruleHits.get(customerId, hitId);
  const done = {};
  if (!hit?.escalation || !hit.cause) return done;
  const { escalation, cause } = hit;
  const escalated: EscalatedHit = { ...hit, escalation, cause };
  if (!escalation.open && hit.acknowledgement) {
    if (hit.duePk) await store.escalations.rest(customerId, escalated);
    return done;
  }
  if (!escalation.open && escalation.at > now()) {
    await waitFor(deps, customerId, escalated);
    return done;
  }
  const context = await roundContextOf(deps, customerId, escalated);
  const { rule, state } = context ?? {};
  const isAtAnEnd = rule?.untilAcknowledged === false && state && isOver(state, cause);
  if (!context && escalation.open) await cancelRound(deps, customerId, escalated, escalation.to ?? []);
  if (!context || (!escalation.open && isAtAnEnd)) {
    await store.escalations.goOn(customerId, escalated, null, now());
    return done;
  }
  const readAt = now();
  const decided = await (escalation.open ? resumeRound : decideRound)(deps, context);
  if (decided?.escalation.open) await applyRound(deps, { ...context, hit: decided }, readAt);
  return decided;
};

/**
 * Decides the round of a hit that is due, and tells its recipients. Each step may be done twice: a round is decided once, by
 * a conditional write, and the hit stays due until all of its deliveries are on their queue.
 */
export const escalate = async (deps: ProcessDeps, task: Escalate): Promise<void> => {
  await retryOnConflict(() => tryRound(deps, task));
};
