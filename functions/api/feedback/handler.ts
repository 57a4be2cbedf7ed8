import { partialListReply } from '#shared/api/http/partial-list.ts';
import { serve } from '#shared/api/serve.ts';
import { serviceFrom } from '#shared/domain/delivery/snapshot.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { isForMaker, type NewFeedback, newFeedback } from '#shared/domain/event/feedback.ts';
import { newFeedbackDelivery } from '#shared/domain/event/feedback-delivery.ts';
import { timeOrderedId } from '#shared/domain/ids.ts';
import type { Problem } from '#shared/domain/problem.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { feedback } from './contract.ts';
import { makerWebhook } from './maker-webhook.ts';

/** The maximum number of ids to try before giving up. */
const MAX_ATTEMPTS = 5;

type ReferenceScope = { customerId: number; sensorId: string; since: number };
type Refuse = (path: string, problem: Problem) => never;

/**
 * Checks whether the rule hit and the event named in the feedback exist and belong to the sensor. Returns the UUID of
 * the event the feedback is about, or null.
 */
const checkReferences = async (
  store: StoreOf<'ruleHits.get' | 'events.get'>,
  scope: ReferenceScope,
  body: NewFeedback,
  refuse: Refuse,
): Promise<string | null> => {
  const { customerId, sensorId, since } = scope;
  const { ruleHitId, eventId } = body;
  const [hit, event] = await Promise.all([
    ruleHitId === null ? null : store.ruleHits.get(customerId, ruleHitId),
    eventId === null ? null : store.events.get(customerId, sensorId, eventId),
  ]);
  if (ruleHitId !== null && (hit?.sensorId !== sensorId || hit.createDate < since))
    refuse('ruleHitId', 'unknown_reference');
  // A message has no date if it caused no event or has not been processed yet.
  if (eventId !== null && (event?.createDate ?? 0) < since) refuse('eventId', 'unknown_reference');
  return eventId ?? hit?.sensorEventId ?? null;
};

export const handler = serve(feedback, {
  listFeedback: async ({ customerId, params: { sensorId }, query, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    return partialListReply(await store.feedback.list(customerId, sensorId, now(), query), query);
  },

  createFeedback: async ({ caller, customerId, params, body, fail, refuse }, deps) => {
    const { store, settings, enqueue, now, random, log } = deps;
    const { sensorId } = params;
    const sensor = (await store.sensors.get(customerId, sensorId)) ?? fail('sensor_not_found');
    const uuid = await checkReferences(store, { customerId, sensorId, since: now() - EVENT_RETENTION }, body, refuse);
    const webhook = isForMaker(sensor) ? await makerWebhook(deps) : null;
    const event = webhook && uuid !== null ? await store.events.get(customerId, sensorId, uuid) : null;
    const context = { customerId, service: serviceFrom(settings), sensor, event };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const time = now();
      const id = timeOrderedId(time, Buffer.from(random(2)).readUInt16BE());
      const forwardToMakerA = webhook !== null;
      const created = newFeedback(body, sensor, caller.accountId, { id, now: time, forwardToMakerA });
      const delivery = webhook && newFeedbackDelivery(webhook, created, context);
      const result = await store.feedback.create(customerId, created, delivery);
      if (result === 'gone') return fail('sensor_not_found');
      if (result !== 'done') continue;
      // The sweep finds the delivery in the due index.
      const leaveToSweep = (error: unknown) =>
        log('warn', 'feedback for the maker is left to the sweep', { sensorId }, error);
      if (delivery) await enqueue([deliverTask(delivery)]).catch(leaveToSweep);
      return created;
    }
    return fail('unavailable', { waitSeconds: 1 });
  },

  deleteFeedback: async ({ customerId, params: { sensorId, feedbackId }, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    if (await store.feedback.remove(customerId, sensorId, feedbackId, now())) return { status: 'OK' };
    return fail('feedback_not_found');
  },
});
