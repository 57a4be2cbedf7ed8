import {
  type Addressee,
  addresseeKey,
  addresseesOf,
  deliveriesTo,
  expressesEvent,
  type KnownRecipients,
  publisherFor,
  readRecipients,
  uniqueAddressees,
} from '#shared/api/addressees.ts';
import { type Delivery, receiverKey, webhookOfReceiver } from '#shared/domain/delivery/delivery.ts';
import { type EventContext, idInRound, serviceFrom } from '#shared/domain/delivery/snapshot.ts';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import {
  type Escalation,
  MAX_HIT_MESSAGES,
  messageIndexes,
  nextRound,
  roundRecipients,
} from '#shared/domain/rule/escalation.ts';
import { awaitingAnswer, withClosedRound, withOpenRound } from '#shared/domain/rule/escalation-rounds.ts';
import { allRecipients, isNobodyOnDuty } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { countsFromFuture, openRoundSetBack, withRoundsSetBack } from '#shared/domain/rule/set-back-rounds.ts';
import { isSituationOver } from '#shared/domain/situation-over.ts';
import type { Escalate } from '#shared/queue/task.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { EscalatingHit } from '#shared/store/rules/escalations.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { ProcessDeps } from './context.ts';
import { enqueueDeliveries, writeDeliveries } from './deliveries.ts';
import { countImmediateAlarms, enqueueRound, messageFor } from './hits.ts';
import { reportUnanswered } from './unanswered.ts';

/**
 * Tasks that arrive early by up to this much (ms) are requeued. Host clocks differ, and the sweep could be a minute
 * late.
 */
const EARLY_MS = 5_000;
/** If preparing a round takes longer than this (ms), the hit is read again in case it has been acknowledged. */
const SLOW_MS = 500;

/** Everything a round depends on, as of now. */
type RoundContext = {
  customerId: number;
  hit: EscalatingHit;
  rule: Rule;
  state: StateItem | null;
  recipients: KnownRecipients;
  eventContext: EventContext;
};

const roundTask = (customerId: number, { id, cause }: EscalatingHit) => ({ customerId, hitId: id, uuid: cause.uuid });

/** Reads a hit with a running escalation. Null if there is none. */
const loadHit = async ({ store }: ProcessDeps, { customerId, hitId }: Escalate): Promise<EscalatingHit | null> => {
  const hit = await store.ruleHits.get(customerId, hitId);
  return hit?.escalation && hit.cause ? { ...hit, escalation: hit.escalation, cause: hit.cause } : null;
};

/** Reads what a round needs. Null if the rule or the sensor is gone, which ends the escalation. */
const loadRound = async (deps: ProcessDeps, customerId: number, hit: EscalatingHit): Promise<RoundContext | null> => {
  const { store, settings } = deps;
  const [rule, { sensor, state, customer }] = await Promise.all([
    store.rules.get(customerId, hit.ruleId),
    store.sensors.getWithContext(customerId, hit.sensorId),
  ]);
  if (!rule || !sensor) return null;
  // An open round may notify webhooks no longer named in the rule.
  const webhooks = hit.escalation.to?.flatMap((receiver) => webhookOfReceiver(receiver) ?? []);
  const recipients = await readRecipients(deps, { customerId, customer }, allRecipients(rule), webhooks);
  const event = { ...hit.cause, rules: [] };
  const eventContext = { service: serviceFrom(settings), event, sensor, customer };
  return { customerId, hit, rule, state, recipients, eventContext };
};

/** An addressee in a round, and the index of the message in the hit, or null if there is no message yet. */
type Placed = { addressee: Addressee; place: number | null };

/**
 * Returns the addressees in a round according to the current rule and the users now on duty. Each is listed once, even
 * if a repeat of all steps names an addressee several times.
 */
const addresseesByRule = (
  { hit, rule, recipients, eventContext }: RoundContext,
  { open = 'step', after }: Pick<Escalation, 'open' | 'after'>,
): (Placed & { step: number })[] => {
  const named = roundRecipients(rule, open, after).flatMap(({ step, recipients: ofStep }) =>
    addresseesOf(ofStep, recipients, eventContext).map((addressee) => ({ step, addressee })),
  );
  const places = messageIndexes(
    hit.messages,
    named.map(({ step, addressee }) => ({ step, accountId: addressee.accountId, publisher: publisherFor(addressee) })),
  );
  return uniqueAddressees(named.map((target, at) => ({ ...target, place: places[at] ?? null })));
};

/**
 * Returns the people and webhooks that the messages in a hit are for. A message for a bot may be for any of the bot's
 * webhooks.
 */
const addresseesByHit = ({ hit, recipients, eventContext }: RoundContext): Placed[] => {
  const webhooks = [...recipients.webhooks.values()].filter(({ format }) => expressesEvent(format, eventContext));
  return hit.messages.flatMap(({ publisher: by, accountId, extra }, place): Placed[] => {
    const named = { accountId, name: extra.display_name };
    if (by !== 'webhook') return [{ addressee: { ...named, by }, place }];
    const ofBot = webhooks.filter(({ botId }) => botId === accountId);
    return ofBot.map(({ id: webhookId }) => ({ addressee: { ...named, webhookId }, place }));
  });
};

/**
 * Returns what a round writes to the hit: the receivers, and messages for receivers that have none. An open round keeps
 * its receivers.
 */
const contentOf = (deps: ProcessDeps, context: RoundContext, { to = [], ...reached }: Escalation) => {
  const time = deps.now();
  const ruleHitId = context.hit.id;
  const dates = { createDate: time, updateDate: time };
  const added = addresseesByRule(context, reached).filter(({ addressee }) => !to.includes(addresseeKey(addressee)));
  const messages = added
    .filter(({ place }) => place === null)
    .slice(0, Math.max(0, MAX_HIT_MESSAGES - context.hit.messages.length))
    .map(({ step, addressee }): RuleMessage => ({ ...messageFor(deps, addressee), ...dates, ruleHitId, step }));
  return { to: [...to, ...added.map(({ addressee }) => addresseeKey(addressee))], messages };
};

/** The hit's round: open, not due, none left, or the hit has changed since it was read. */
type Round = { kind: 'open'; hit: EscalatingHit } | { kind: 'not_due' | 'changed' | 'ended' };

/** Writes the receivers in a round to the hit. */
const openRound = async (deps: ProcessDeps, context: RoundContext, reached: Escalation): Promise<Round> => {
  const { customerId, hit } = context;
  const { to, messages } = contentOf(deps, context, reached);
  const escalation = { ...reached, to };
  const isOpen = await deps.store.escalations.open(customerId, hit, { escalation, messages }, deps.now());
  if (!isOpen) return { kind: 'changed' };
  return { kind: 'open', hit: { ...hit, escalation, messages: [...hit.messages, ...messages] } };
};

/**
 * Schedules the next step, or ends the escalation (`next` null), unless the escalation has changed since it was read.
 */
const schedule = async (
  deps: ProcessDeps,
  { customerId, hit }: Pick<RoundContext, 'customerId' | 'hit'>,
  next: Escalation | null,
): Promise<void> => {
  if (next) await enqueueRound(deps, roundTask(customerId, hit), next.at);
  await deps.store.escalations.scheduleRound(customerId, hit, next, deps.now());
};

/** Returns the escalation after the last round, or null if no one has to acknowledge the alarm. */
const afterLastRound = ({ now }: ProcessDeps, { hit, rule }: RoundContext): Escalation | null =>
  isUrgent(hit.situation) ? awaitingAnswer(rule, hit.escalation, now()) : null;

/** Ends an escalation that has no further rounds, after people have had time to acknowledge the alarm. */
const endRounds = async (deps: ProcessDeps, context: RoundContext): Promise<Round> => {
  const { customerId, hit } = context;
  const isUnanswered = hit.escalation.isLast === true;
  if (isUnanswered && !(await reportUnanswered(deps, customerId, hit))) return { kind: 'changed' };
  await schedule(deps, context, isUnanswered ? null : afterLastRound(deps, context));
  return { kind: 'ended' };
};

/** Decides the next round in one conditional write. */
const decideRound = async (deps: ProcessDeps, context: RoundContext): Promise<Round> => {
  const { hit, rule, recipients } = context;
  const { now } = deps;
  const next = nextRound(rule, hit.escalation, hit.createDate);
  if (!next) return endRounds(deps, context);
  // The steps in the rule may have changed since this round was scheduled.
  if (next.at > now()) {
    await schedule(deps, context, { ...hit.escalation, at: next.at });
    return { kind: 'not_due' };
  }
  const named = roundRecipients(rule, next.kind, next.after).flatMap((step) => step.recipients);
  const nobodyOnDuty = isNobodyOnDuty(named, recipients.onDuty);
  const round = await openRound(deps, context, withOpenRound(hit.escalation, next, nobodyOnDuty));
  if (round.kind === 'changed') return round;
  if (nobodyOnDuty) deps.measure('NobodyOnDuty');
  deps.failpoint('escalate.decided');
  return round;
};

/**
 * Resumes an open round after a crash. If the rule now names other recipients, they are notified too, because the
 * earlier ones may be gone.
 */
const resumeRound = async (deps: ProcessDeps, context: RoundContext): Promise<Round> => {
  const { hit } = context;
  const { to = [] } = hit.escalation;
  const isComplete = contentOf(deps, context, hit.escalation).to.length === to.length;
  return hit.acknowledgement || isComplete ? { kind: 'open', hit } : openRound(deps, context, hit.escalation);
};

/** Returns an open round's deliveries to all listed receivers, even those no longer named in the rule. */
const deliveriesOf = async (deps: ProcessDeps, context: RoundContext): Promise<Delivery[]> => {
  const { hit, rule, recipients, eventContext } = context;
  const { to = [], ...escalation } = hit.escalation;
  const byRule = addresseesByRule(context, escalation);
  const byHit = addresseesByHit(context);
  // Messages for the current step come last.
  const byMessage = escalation.open === 'step' ? byHit.toReversed() : byHit;
  const found = uniqueAddressees<Placed>([...byRule.filter(({ place }) => place !== null), ...byMessage, ...byRule]);
  const named = found.filter(({ addressee }) => to.includes(addresseeKey(addressee)));
  // The index for addressees without a message in the hit. No message ever has this index.
  const emptyPlace = Math.max(MAX_HIT_MESSAGES, hit.messages.length);
  const deliveries = named.map(({ addressee, place }) => {
    const message = { id: hit.id, message: place ?? emptyPlace };
    return deliveriesTo(deps, eventContext, recipients, { rule, addressee, hit: message, round: escalation });
  });
  return (await Promise.all(deliveries)).flat();
};

/** Cancels deliveries in an open round that were written before a crash and not attempted yet. */
const cancelDeliveries = async (
  { store, now }: ProcessDeps,
  customerId: number,
  { escalation, cause, sensorId, ruleId }: EscalatingHit,
  receivers: readonly string[],
): Promise<void> => {
  for (const receiver of receivers) {
    const id = idInRound({ uuid: cause.uuid, sensorId, ruleId }, escalation, receiver);
    const found = await store.deliveries.get(customerId, webhookOfReceiver(receiver), id);
    if (found?.state === 'pending') await store.deliveries.end(found, 'canceled', now());
  }
};

/**
 * Writes and enqueues an open round's deliveries, unless the hit was acknowledged in the meantime, which can happen
 * after a crash or if the round takes too long. `decidedAt` is when (ms) the round was decided or read.
 */
const sendRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<Delivery[]> => {
  const { store, now, failpoint } = deps;
  const { customerId, hit, recipients } = context;
  const { to = [] } = hit.escalation;
  const deliveries = hit.acknowledgement ? [] : await deliveriesOf(deps, context);
  const posted = await writeDeliveries(deps, deliveries, recipients);
  failpoint('escalate.written');
  const isSlow = now() - decidedAt > SLOW_MS;
  const current = isSlow ? await store.ruleHits.get(customerId, hit.id) : hit;
  const sent = current?.acknowledgement ? [] : deliveries;
  await enqueueDeliveries(
    deps,
    posted.filter((delivery) => sent.includes(delivery)),
  );
  countImmediateAlarms(deps, sent, recipients);
  const unsent = to.filter((receiver) => !sent.some((delivery) => receiverKey(delivery) === receiver));
  await cancelDeliveries(deps, customerId, hit, unsent);
  return sent;
};

/** Applies an open round, and schedules the next one. */
const applyRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<void> => {
  const { now, failpoint, log } = deps;
  const { hit, rule } = context;
  const sent = await sendRound(deps, context, decidedAt);
  failpoint('escalate.enqueued');
  const next = withClosedRound(rule, openRoundSetBack(hit, now()), hit.createDate, now());
  await schedule(deps, context, next ?? afterLastRound(deps, context));
  const { round } = hit.escalation;
  log('info', 'an escalation round was applied', { hitId: hit.id, round, deliveries: sent.map(({ id }) => id) });
};

/** Requeues a round that is not due yet because the sweep enqueued it ahead of time. Other early tasks are ignored. */
const requeueRound = async (deps: ProcessDeps, customerId: number, hit: EscalatingHit): Promise<void> => {
  const { escalation, dueAt } = hit;
  const isOfSweep = Number(dueAt) <= deps.now();
  const isEarly = escalation.at - deps.now() <= EARLY_MS;
  if (!isOfSweep && !isEarly) return;
  await enqueueRound(deps, roundTask(customerId, hit), escalation.at);
  if (isOfSweep) await deps.store.escalations.scheduleRound(customerId, hit, escalation, deps.now());
};

/**
 * Corrects the due time of a hit's next round if the clock was set back. False if there was nothing to correct, or if
 * the rule or sensor is gone.
 */
const setBackRounds = async (deps: ProcessDeps, { customerId, setBack }: Escalate, hit: EscalatingHit) => {
  if (setBack === undefined && !countsFromFuture(hit, deps.now())) return false;
  const context = await loadRound(deps, customerId, hit);
  const corrected = context && withRoundsSetBack(context.rule, hit, setBack ?? null, deps.now());
  if (corrected) await schedule(deps, { customerId, hit }, corrected);
  return Boolean(corrected);
};

/** Whether the escalation ends because the event is over, as set in the rule. */
const isEndedByEvent = ({ rule, state, hit }: RoundContext): boolean =>
  rule.untilAcknowledged === false && state !== null && isSituationOver(state, hit.cause);

/** The result of processing a round. `changed`: the hit has changed since it was read. */
type RoundResult = 'no_escalation' | 'acknowledged' | 'not_due' | 'ended' | 'changed' | 'applied';

const processRound = async (deps: ProcessDeps, task: Escalate): Promise<RoundResult> => {
  const { store, now } = deps;
  const { customerId } = task;
  const hit = await loadHit(deps, task);
  if (!hit) return 'no_escalation';

  const isOpen = hit.escalation.open !== undefined;
  if (!isOpen && hit.acknowledgement) {
    if (hit.duePk) await store.escalations.removeFromDue(customerId, hit);
    return 'acknowledged';
  }
  if (!isOpen && (await setBackRounds(deps, task, hit))) return 'not_due';
  if (!isOpen && hit.escalation.at > now()) {
    await requeueRound(deps, customerId, hit);
    return 'not_due';
  }

  const context = await loadRound(deps, customerId, hit);
  if (!context || (!isOpen && isEndedByEvent(context))) {
    if (!context && isOpen) await cancelDeliveries(deps, customerId, hit, hit.escalation.to ?? []);
    await store.escalations.scheduleRound(customerId, hit, null, now());
    return 'ended';
  }

  const readAt = now();
  const round = isOpen ? await resumeRound(deps, context) : await decideRound(deps, context);
  if (round.kind !== 'open') return round.kind;
  await applyRound(deps, { ...context, hit: round.hit }, readAt);
  return 'applied';
};

/**
 * Decides a hit's due round, and notifies the recipients. Each step can be repeated: a conditional write decides each
 * round only once, and the hit stays due until all deliveries are queued. If the hit has changed in the meantime, it is
 * read again.
 */
export const escalate = async (deps: ProcessDeps, task: Escalate): Promise<void> => {
  await retryOnConflict(async () => {
    const result = await processRound(deps, task);
    return result === 'changed' ? null : result;
  });
};
