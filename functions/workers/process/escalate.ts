import {
  type Addressee,
  addresseesOf,
  deliveryTo,
  isTold,
  type Known,
  keyOfAddressee,
  knownOf,
  onceEach,
  publisherOf,
} from '#shared/api/addressees.ts';
import { type Delivery, receiverOf, webhookOf } from '#shared/domain/delivery/delivery.ts';
import { type EventContext, idInRound, serviceOf } from '#shared/domain/delivery/snapshot.ts';
import { isOver } from '#shared/domain/over.ts';
import {
  closed,
  type Escalation,
  MOST_MESSAGES,
  nextRound,
  opened,
  placesOf,
  stepsOf,
} from '#shared/domain/rule/escalation.ts';
import { allRecipients, isForDuty } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { Escalate } from '#shared/queue/task.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { EscalatedHit } from '#shared/store/rules/escalations.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { ProcessDeps } from './context.ts';
import { countAlarms, enqueueRound, messageFor, writeDeliveries } from './hits.ts';

/** Tasks that arrive this early (ms) are requeued: clocks of hosts differ, and the sweep would be up to a minute late. */
const EARLY = 5_000;
/** A round that took longer (ms) to begin reads again whether somebody has acknowledged the hit meanwhile. */
const SLOW = 500;

/** Everything that a round is decided by and made of, as it is now. */
type RoundContext = {
  customerId: number;
  hit: EscalatedHit;
  rule: Rule;
  state: StateItem | null;
  recipients: Known;
  eventContext: EventContext;
};

const roundTask = (customerId: number, { id, cause }: EscalatedHit) => ({ customerId, hitId: id, uuid: cause.uuid });

/** Reads a hit whose escalation goes on. Null when there is none. */
const loadHit = async ({ store }: ProcessDeps, { customerId, hitId }: Escalate): Promise<EscalatedHit | null> => {
  const hit = await store.ruleHits.get(customerId, hitId);
  return hit?.escalation && hit.cause ? { ...hit, escalation: hit.escalation, cause: hit.cause } : null;
};

/** Reads what a round needs. Null when the rule or the sensor is gone: that ends the escalation. */
const loadRound = async (deps: ProcessDeps, customerId: number, hit: EscalatedHit): Promise<RoundContext | null> => {
  const { store, settings } = deps;
  const [rule, { sensor, state, customer }] = await Promise.all([
    store.rules.get(customerId, hit.ruleId),
    store.sensors.around(customerId, hit.sensorId),
  ]);
  if (!rule || !sensor) return null;
  // An open round may notify webhooks that its rule names no longer.
  const webhooks = hit.escalation.to?.flatMap((receiver) => webhookOf(receiver) ?? []);
  const recipients = await knownOf(deps, customerId, allRecipients(rule), webhooks);
  const event = { ...hit.cause, rules: [] };
  const eventContext = { service: serviceOf(settings), event, sensor, customer };
  return { customerId, hit, rule, state, recipients, eventContext };
};

/** An addressee of a round, and the place of the message in the hit; null: there is none yet. */
type Placed = { addressee: Addressee; place: number | null };

/** The addressees of a round by the rule and the duty as they are now. A repeat of all steps may name one several times. */
const addresseesByRule = (
  { hit, rule, recipients, eventContext }: RoundContext,
  { open = 'step', after }: Pick<Escalation, 'open' | 'after'>,
): (Placed & { step: number })[] => {
  const named = stepsOf(rule, open, after).flatMap(({ step, recipients: ofStep }) =>
    addresseesOf(ofStep, recipients, eventContext).map((addressee) => ({ step, addressee })),
  );
  const places = placesOf(
    hit.messages,
    named.map(({ step, addressee }) => ({ step, accountId: addressee.accountId, publisher: publisherOf(addressee) })),
  );
  return onceEach(named.map((target, at) => ({ ...target, place: places[at] ?? null })));
};

/** The people whom messages of a hit are for, and the webhooks that they may be for: those of their bot. */
const addresseesByHit = ({ hit, recipients, eventContext }: RoundContext): Placed[] => {
  const webhooks = [...recipients.webhooks.values()].filter(({ format }) => isTold(format, eventContext));
  return hit.messages.flatMap(({ publisher: by, accountId, extra }, place): Placed[] => {
    const named = { accountId, name: extra.display_name };
    if (by !== 'webhook') return [{ addressee: { ...named, by }, place }];
    const ofBot = webhooks.filter(({ botId }) => botId === accountId);
    return ofBot.map(({ id: webhookId }) => ({ addressee: { ...named, webhookId }, place }));
  });
};

/**
 * What a round writes into its hit: its receivers, and the messages of those who have none yet. A repeat reuses messages.
 * An open round keeps the receivers that it named before.
 */
const contentOf = (deps: ProcessDeps, context: RoundContext, { to = [], ...reached }: Escalation) => {
  const time = deps.now();
  const ruleHitId = context.hit.id;
  const dates = { createDate: time, updateDate: time };
  const added = addresseesByRule(context, reached).filter(({ addressee }) => !to.includes(keyOfAddressee(addressee)));
  const messages = added
    .filter(({ place }) => place === null)
    .slice(0, Math.max(0, MOST_MESSAGES - context.hit.messages.length))
    .map(({ step, addressee }): RuleMessage => ({ ...messageFor(deps, addressee), ...dates, ruleHitId, step }));
  return { to: [...to, ...added.map(({ addressee }) => keyOfAddressee(addressee))], messages };
};

/** What became of the round of a hit: it is open, not due, or the hit has changed since it was read. */
type Round = { kind: 'open'; hit: EscalatedHit } | { kind: 'not_due' } | { kind: 'changed' };

/** Writes the receivers of a round into its hit. */
const openRound = async (deps: ProcessDeps, context: RoundContext, reached: Escalation): Promise<Round> => {
  const { customerId, hit } = context;
  const { to, messages } = contentOf(deps, context, reached);
  const escalation = { ...reached, to };
  const isOpen = await deps.store.escalations.open(customerId, hit, { escalation, messages }, deps.now());
  if (!isOpen) return { kind: 'changed' };
  return { kind: 'open', hit: { ...hit, escalation, messages: [...hit.messages, ...messages] } };
};

/** Decides the next round by one conditional write. */
const decideRound = async (deps: ProcessDeps, context: RoundContext): Promise<Round> => {
  const { customerId, hit, rule, recipients } = context;
  const { now, store } = deps;
  const next = nextRound(rule, hit.escalation, hit.createDate);
  // The rule may have been given other steps since this one was noted.
  if (!next || next.at > now()) {
    if (next) await enqueueRound(deps, roundTask(customerId, hit), next.at);
    await store.escalations.goOn(customerId, hit, next && { ...hit.escalation, at: next.at }, now());
    return { kind: 'not_due' };
  }
  const named = stepsOf(rule, next.kind, next.after).flatMap((step) => step.recipients);
  const nobodyOnDuty = isForDuty(named) && recipients.onDuty.length === 0;
  const round = await openRound(deps, context, opened(hit.escalation, next, nobodyOnDuty));
  if (round.kind === 'changed') return round;
  if (nobodyOnDuty) deps.measure('NobodyOnDuty');
  deps.failpoint('escalate.decided');
  return round;
};

/**
 * Resumes an open round that a process has left. If its rule names others now, these are notified, too, for those whom it
 * named may be gone.
 */
const resumeRound = async (deps: ProcessDeps, context: RoundContext): Promise<Round> => {
  const { hit } = context;
  const { to = [] } = hit.escalation;
  const isComplete = contentOf(deps, context, hit.escalation).to.length === to.length;
  return hit.acknowledgement || isComplete ? { kind: 'open', hit } : openRound(deps, context, hit.escalation);
};

/** The deliveries of an open round, to all receivers that it names, though its rule may name others now. */
const deliveriesOf = async (deps: ProcessDeps, context: RoundContext): Promise<Delivery[]> => {
  const { hit, rule, recipients, eventContext } = context;
  const { to = [], ...escalation } = hit.escalation;
  const byRule = addresseesByRule(context, escalation);
  const byHit = addresseesByHit(context);
  // The messages of a step are the last ones.
  const byMessage = escalation.open === 'step' ? byHit.toReversed() : byHit;
  const found = onceEach<Placed>([...byRule.filter(({ place }) => place !== null), ...byMessage, ...byRule]);
  const named = found.filter(({ addressee }) => to.includes(keyOfAddressee(addressee)));
  // A delivery without a message in the hit reports to a place where there will never be one.
  const nowhere = Math.max(MOST_MESSAGES, hit.messages.length);
  const deliveries = named.map(({ addressee, place }) => {
    const message = { id: hit.id, message: place ?? nowhere };
    return deliveryTo(deps, eventContext, recipients, { rule, addressee, hit: message, round: escalation });
  });
  return (await Promise.all(deliveries)).flat();
};

/** Cancels those deliveries of an open round whose attempts have not begun: they may have been written before a crash. */
const cancelDeliveries = async (
  { store, now }: ProcessDeps,
  customerId: number,
  { escalation, cause, sensorId, ruleId }: EscalatedHit,
  receivers: readonly string[],
): Promise<void> => {
  for (const receiver of receivers) {
    const id = idInRound({ uuid: cause.uuid, sensorId, ruleId }, escalation, receiver);
    const found = await store.deliveries.get(customerId, webhookOf(receiver), id);
    if (found?.state === 'pending') await store.deliveries.end(found, 'canceled', now());
  }
};

/**
 * Writes the deliveries of an open round and enqueues them. Not once the hit is acknowledged, as it may be after a crash, or
 * when that took too long. `decidedAt`: when (ms) it was decided, or read.
 */
const sendRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<Delivery[]> => {
  const { store, now, enqueue, failpoint } = deps;
  const { customerId, hit, recipients } = context;
  const { to = [] } = hit.escalation;
  const deliveries = hit.acknowledgement ? [] : await deliveriesOf(deps, context);
  const posted = await writeDeliveries(deps, deliveries, recipients);
  failpoint('escalate.written');
  const isSlow = now() - decidedAt > SLOW;
  const current = isSlow ? await store.ruleHits.get(customerId, hit.id) : hit;
  const sent = current?.acknowledgement ? [] : deliveries;
  await enqueue(posted.filter((delivery) => sent.includes(delivery)).map(deliverTask));
  countAlarms(deps, sent, recipients);
  const left = to.filter((receiver) => !sent.some((delivery) => receiverOf(delivery) === receiver));
  await cancelDeliveries(deps, customerId, hit, left);
  return sent;
};

/** Applies an open round, and notes the next one. */
const applyRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<void> => {
  const { store, now, failpoint, log } = deps;
  const { customerId, hit, rule } = context;
  const sent = await sendRound(deps, context, decidedAt);
  failpoint('escalate.enqueued');
  const next = closed(rule, hit.escalation, hit.createDate, now());
  if (next) await enqueueRound(deps, roundTask(customerId, hit), next.at);
  await store.escalations.goOn(customerId, hit, next, now());
  const { round } = hit.escalation;
  log('info', 'a round was applied', { hitId: hit.id, round, deliveries: sent.map(({ id }) => id) });
};

/** Requeues a round that is not due yet: the sweep came early, to have it on the queue in time. Other tasks have nothing to do. */
const requeueRound = async (deps: ProcessDeps, customerId: number, hit: EscalatedHit): Promise<void> => {
  const { escalation, dueAt } = hit;
  const isOfSweep = Number(dueAt) <= deps.now();
  const isEarly = escalation.at - deps.now() <= EARLY;
  if (!isOfSweep && !isEarly) return;
  await enqueueRound(deps, roundTask(customerId, hit), escalation.at);
  if (isOfSweep) await deps.store.escalations.goOn(customerId, hit, escalation, deps.now());
};

/** Whether the escalation is not to go on: its rule ends it once the event is over, which it is. */
const isAtAnEnd = ({ rule, state, hit }: RoundContext): boolean =>
  rule.untilAcknowledged === false && state !== null && isOver(state, hit.cause);

/** How the task of a round ended. `changed`: the hit has changed since it was read. */
type RoundResult = 'no_escalation' | 'acknowledged' | 'not_due' | 'ended' | 'changed' | 'applied';

const processRound = async (deps: ProcessDeps, task: Escalate): Promise<RoundResult> => {
  const { store, now } = deps;
  const { customerId } = task;
  const hit = await loadHit(deps, task);
  if (!hit) return 'no_escalation';

  const isOpen = hit.escalation.open !== undefined;
  if (!isOpen && hit.acknowledgement) {
    if (hit.duePk) await store.escalations.rest(customerId, hit);
    return 'acknowledged';
  }
  if (!isOpen && hit.escalation.at > now()) {
    await requeueRound(deps, customerId, hit);
    return 'not_due';
  }

  const context = await loadRound(deps, customerId, hit);
  if (!context || (!isOpen && isAtAnEnd(context))) {
    if (!context && isOpen) await cancelDeliveries(deps, customerId, hit, hit.escalation.to ?? []);
    await store.escalations.goOn(customerId, hit, null, now());
    return 'ended';
  }

  const readAt = now();
  const round = isOpen ? await resumeRound(deps, context) : await decideRound(deps, context);
  if (round.kind !== 'open') return round.kind;
  await applyRound(deps, { ...context, hit: round.hit }, readAt);
  return 'applied';
};

/**
 * Decides the round of a hit that is due, and notifies its recipients. Each step may be done twice: a round is decided once,
 * by a conditional write, and the hit stays due until all of its deliveries are on their queue. When the hit has changed
 * since it was read, it is read again.
 */
export const escalate = async (deps: ProcessDeps, task: Escalate): Promise<void> => {
  await retryOnConflict(async () => {
    const result = await processRound(deps, task);
    return result === 'changed' ? null : result;
  });
};
