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
import { closed, type Escalation, MOST_MESSAGES, placesOf, stepsOf } from '#shared/domain/rule/escalation.ts';
import { allRecipients } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { EscalatedHit } from '#shared/store/rules/escalations.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import { countAlarms, writeDeliveries } from './apply-decision.ts';
import { enqueueRound } from './enqueue-round.ts';
import { messageFor } from './fire.ts';
import type { ProcessDeps } from './sensor-context.ts';

type Reached = Pick<Escalation, 'open' | 'after'>;
/** Everything that a round is decided by and made of, as it is now. */
export type RoundContext = {
  customerId: number;
  hit: EscalatedHit;
  rule: Rule;
  state: StateItem | null;
  known: Known;
  eventContext: EventContext;
};

/** Reads what a round needs. Null when the rule or the sensor is gone: that ends the escalation. */
export const roundContextOf = async (
  deps: ProcessDeps,
  customerId: number,
  hit: EscalatedHit,
): Promise<RoundContext | null> => {
  const { store, settings } = deps;
  const [rule, { sensor, state, customer }] = await Promise.all([
    store.rules.get(customerId, hit.ruleId),
    store.sensors.around(customerId, hit.sensorId),
  ]);
  if (!rule || !sensor) return null;
  // An open round may tell webhooks that its rule names no longer.
  const webhooks = hit.escalation.to?.flatMap((receiver) => webhookOf(receiver) ?? []);
  const known = await knownOf(deps, customerId, allRecipients(rule), webhooks);
  const event = { ...hit.cause, rules: [] };
  const eventContext = { service: serviceOf(settings), event, sensor, customer };
  return { customerId, hit, rule, state, known, eventContext };
};

/** One whom a round tells, and the place of the message in the hit; null: there is none yet. */
type Placed = { addressee: Addressee; place: number | null };

/** Whom a round tells, by the rule and by who is on duty now. When all are told again, several steps may name one. */
const addresseesIn = (
  { hit, rule, known, eventContext }: RoundContext,
  { open = 'step', after }: Reached,
): (Placed & { step: number })[] => {
  const all = stepsOf(rule, open, after).flatMap(({ step, recipients }) =>
    addresseesOf(recipients, known, eventContext).map((addressee) => ({ step, addressee })),
  );
  const places = placesOf(
    hit.messages,
    all.map(({ step, addressee }) => ({ step, accountId: addressee.accountId, publisher: publisherOf(addressee) })),
  );
  return onceEach(all.map((target, at) => ({ ...target, place: places[at] ?? null })));
};

/**
 * What a round writes into its hit: whom it tells, and the messages of those who have none yet. Who is told again has one.
 * An open round goes on telling those whom it has named before.
 */
export const contentOf = (deps: ProcessDeps, context: RoundContext, { to = [], ...reached }: Escalation) => {
  const time = deps.now();
  const ruleHitId = context.hit.id;
  const dates = { createDate: time, updateDate: time };
  const targets = addresseesIn(context, reached).filter(({ addressee }) => !to.includes(keyOfAddressee(addressee)));
  const messages = targets
    .filter(({ place }) => place === null)
    .slice(0, Math.max(0, MOST_MESSAGES - context.hit.messages.length))
    .map(({ step, addressee }): RuleMessage => ({ ...messageFor(deps, addressee), ...dates, ruleHitId, step }));
  return { to: [...to, ...targets.map(({ addressee }) => keyOfAddressee(addressee))], messages };
};

/** A round that took longer (ms) to begin than this asks once more whether somebody has acknowledged the hit meanwhile. */
const AT_ONCE = 500;

/** Ends those deliveries of an open round that nobody has begun to send: they may have been written before a crash. */
export const cancelRound = async (
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

/** The people whom messages of a hit are for, and the webhooks that they may be for: those of their bot. */
const addresseesOfHit = ({ hit, known, eventContext }: RoundContext): Placed[] => {
  const webhooks = [...known.webhooks.values()].filter(({ format }) => isTold(format, eventContext));
  return hit.messages.flatMap(({ publisher: by, accountId, extra }, place): Placed[] => {
    const named = { accountId, name: extra.display_name };
    if (by !== 'webhook') return [{ addressee: { ...named, by }, place }];
    const own = webhooks.filter(({ botId }) => botId === accountId);
    return own.map(({ id: webhookId }) => ({ addressee: { ...named, webhookId }, place }));
  });
};

/** The deliveries of an open round, to all whom it names, though its rule may name others by now. */
const deliveriesIn = async (deps: ProcessDeps, context: RoundContext): Promise<Delivery[]> => {
  const { hit, rule, known, eventContext } = context;
  const { to = [], ...escalation } = hit.escalation;
  const byRule = addresseesIn(context, escalation);
  const byHit = addresseesOfHit(context);
  // The messages of a step are the last ones.
  const byMessage = escalation.open === 'step' ? byHit.toReversed() : byHit;
  const found = onceEach<Placed>([...byRule.filter(({ place }) => place !== null), ...byMessage, ...byRule]);
  const all = found.filter(({ addressee }) => to.includes(keyOfAddressee(addressee)));
  // A delivery of the hit without a message of its own reports to a place where there will never be one.
  const nowhere = Math.max(MOST_MESSAGES, hit.messages.length);
  const made = all.map(({ addressee, place }) => {
    const ofHit = { id: hit.id, message: place ?? nowhere };
    return deliveryTo(deps, eventContext, known, { rule, addressee, hit: ofHit, round: escalation });
  });
  return (await Promise.all(made)).flat();
};

/**
 * Writes the deliveries of an open round and puts them on the queue. Not once the hit is acknowledged, as it may be after a
 * crash, or when that took too long. `decidedAt`: when (ms) it was decided, or read.
 */
const sendRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<Delivery[]> => {
  const { store, now, enqueue, failpoint } = deps;
  const { customerId, hit, known } = context;
  const { to = [] } = hit.escalation;
  const deliveries = hit.acknowledgement ? [] : await deliveriesIn(deps, context);
  const posted = await writeDeliveries(deps, deliveries, known);
  failpoint('escalate.written');
  const isLate = now() - decidedAt > AT_ONCE;
  const current = isLate ? await store.ruleHits.get(customerId, hit.id) : hit;
  const sent = current?.acknowledgement ? [] : deliveries;
  await enqueue(posted.filter((delivery) => sent.includes(delivery)).map(deliverTask));
  countAlarms(deps, sent, known);
  const left = to.filter((receiver) => !sent.some((delivery) => receiverOf(delivery) === receiver));
  await cancelRound(deps, customerId, hit, left);
  return sent;
};

/** Applies an open round, and notes the next one. */
export const applyRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<void> => {
  const { store, now, failpoint, log } = deps;
  const { customerId, hit, rule } = context;
  const sent = await sendRound(deps, context, decidedAt);
  failpoint('escalate.enqueued');
  const next = closed(rule, hit.escalation, hit.createDate, now());
  if (next) await enqueueRound(deps, { customerId, hitId: hit.id, uuid: hit.cause.uuid }, next.at);
  await store.escalations.goOn(customerId, hit, next, now());
  const { round } = hit.escalation;
  log('info', 'a round was applied', { hitId: hit.id, round, deliveries: sent.map(({ id }) => id) });
};
