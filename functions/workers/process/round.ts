import { inBatches } from '../../../shared/api/changing.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import { closed, type Escalation, placesOf, stepsOf } from '../../../shared/domain/escalation.ts';
import { allRecipients } from '../../../shared/domain/recipient.ts';
import type { Rule } from '../../../shared/domain/rule.ts';
import type { RuleMessage } from '../../../shared/domain/rule-hit.ts';
import { type EventContext, serviceOf } from '../../../shared/domain/snapshot.ts';
import { deliverTask } from '../../../shared/queue/encode.ts';
import type { EscalatedHit } from '../../../shared/store/escalations.ts';
import type { StateItem } from '../../../shared/store/states.ts';
import { countAlarms } from './apply-decision.ts';
import { enqueueRound } from './enqueue-round.ts';
import { deliveryTo, messageFor } from './fire.ts';
import { type Addressee, type Known, keyOfAddressee, knownOf, publisherOf, toldBy } from './recipients.ts';
import type { ProcessDeps } from './sensor-context.ts';

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
  const known = await knownOf(deps, customerId, allRecipients(rule));
  const event = { ...hit.cause, rules: [] };
  const eventContext = { service: serviceOf(settings), event, sensor, customer };
  return { customerId, hit, rule, state, known, eventContext };
};

/** One whom a round tells, and the place of the message in the hit; null: there is none yet. */
type Told = { step: number; told: Addressee; place: number | null };

/** Whom an open round tells, each once. Who is on duty was decided with the round. */
const toldIn = (
  { hit, rule, known, eventContext }: RoundContext,
  { open = 'step', after, onDuty = [] }: Escalation,
): Told[] => {
  const all = stepsOf(rule, open, after).flatMap(({ step, recipients }) =>
    toldBy(recipients, { ...known, onDuty }, eventContext).map((told) => ({ step, told })),
  );
  const places = placesOf(
    hit.messages,
    all.map(({ step, told }) => ({ step, accountId: told.accountId, publisher: publisherOf(told) })),
  );
  const placed = all.map((one, at) => ({ ...one, place: places[at] ?? null }));
  // When all are told again, several steps may name one: the first one counts.
  return [...new Map(placed.toReversed().map((one) => [keyOfAddressee(one.told), one])).values()].toReversed();
};

/** The messages of those whom a round tells and who have none yet. Who is told again has one. */
export const newMessages = (deps: ProcessDeps, context: RoundContext, escalation: Escalation): RuleMessage[] => {
  const [time, ruleHitId] = [deps.now(), context.hit.id];
  const dates = { createDate: time, updateDate: time };
  return toldIn(context, escalation)
    .filter(({ place }) => place === null)
    .map(({ step, told }) => ({ ...messageFor(deps, told), ...dates, ruleHitId, step }));
};

/** A round that took longer (ms) to begin than this asks once more whether somebody has acknowledged the hit meanwhile. */
const AT_ONCE = 500;

/** Ends those deliveries of a round that nobody has begun to send: the hit was acknowledged before they were on their queue. */
const cancel = async ({ store, now }: ProcessDeps, deliveries: readonly Delivery[]): Promise<void> => {
  for (const { customerId, webhookId, id } of deliveries) {
    const found = await store.deliveries.get(customerId, webhookId, id);
    if (found?.state === 'pending') await store.deliveries.end(found, 'canceled', now());
  }
};

/**
 * Writes the deliveries of an open round and puts them on the queue; then the next round is noted. When a crash came in
 * between, the hit may have been acknowledged since: `decidedAt` is when (ms) it was not, or when the open round was read.
 */
export const carryOutRound = async (deps: ProcessDeps, context: RoundContext, decidedAt: number): Promise<void> => {
  const { store, now, enqueue, failpoint } = deps;
  const { customerId, hit, rule, known, eventContext } = context;
  const { escalation } = hit;
  const made = toldIn(context, escalation).map(({ told, place }) => {
    const to = place === null ? null : { id: hit.id, message: place };
    return deliveryTo(deps, eventContext, rule, known, { told, hit: to, round: escalation });
  });
  const deliveries = (await Promise.all(made)).flat();
  // In the due index too: were the rule deleted before they are on their queue, nobody else would know of them.
  if (!hit.acknowledgement) await inBatches(deliveries, (one) => store.deliveries.create(one, true));
  failpoint('escalate.written');
  const isLate = now() - decidedAt > AT_ONCE;
  const current = isLate ? await store.ruleHits.get(customerId, hit.id) : hit;
  if (current?.acknowledgement) await cancel(deps, deliveries);
  else {
    await enqueue(deliveries.map(deliverTask));
    countAlarms(deps, deliveries, known);
  }
  failpoint('escalate.enqueued');
  const next = closed(rule, escalation, hit.createDate, now());
  if (next && !current?.acknowledgement)
    await enqueueRound(deps, { customerId, hitId: hit.id, uuid: hit.cause.uuid }, next.at);
  await store.escalations.goOn(customerId, hit, next, now());
  const told = { hitId: hit.id, round: escalation.round, deliveries: deliveries.map(({ id }) => id) };
  deps.log('info', 'a round of an escalation was carried out', told);
};
