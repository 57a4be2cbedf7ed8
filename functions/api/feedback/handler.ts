import { lookedReply } from '../../../shared/api/looked.ts';
import { serve } from '../../../shared/api/serve.ts';
import { RETENTION } from '../../../shared/domain/event.ts';
import { type NewFeedback, newFeedback } from '../../../shared/domain/feedback.ts';
import { timeOrderedId } from '../../../shared/domain/ids.ts';
import type { Problem } from '../../../shared/domain/problem.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import { feedback } from './contract.ts';

/** How many ids are tried until one is free. */
const TRIES = 5;

type About = { customerId: number; sensorId: string; since: number };
type Refuse = (path: string, problem: Problem) => never;

/** Checks that the rule hit and the event that feedback names exist and belong to the sensor. */
const checkNames = async (
  store: StoreOf<'ruleHits.get' | 'events.get'>,
  about: About,
  body: NewFeedback,
  refuse: Refuse,
): Promise<void> => {
  const { customerId, sensorId, since } = about;
  const { ruleHitId, eventId } = body;
  const [hit, event] = await Promise.all([
    ruleHitId === null ? null : store.ruleHits.get(customerId, ruleHitId),
    eventId === null ? null : store.events.get(customerId, sensorId, eventId),
  ]);
  if (ruleHitId !== null && (hit?.sensorId !== sensorId || hit.createDate < since))
    refuse('ruleHitId', 'unknown_reference');
  // A message has no date if it made no event, or if it is not processed yet.
  if (eventId !== null && (event?.createDate ?? 0) < since) refuse('eventId', 'unknown_reference');
};

export const handler = serve(feedback, {
  listFeedback: async ({ customerId, params: { sensorId }, query, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    return lookedReply(await store.feedback.list(customerId, sensorId, now(), query), query);
  },

  createFeedback: async ({ caller, customerId, params, body, fail, refuse }, { store, now, random }) => {
    const { sensorId } = params;
    const sensor = (await store.sensors.get(customerId, sensorId)) ?? fail('sensor_not_found');
    await checkNames(store, { customerId, sensorId, since: now() - RETENTION }, body, refuse);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const time = now();
      const id = timeOrderedId(time, Buffer.from(random(2)).readUInt16BE());
      const made = newFeedback(body, sensor, caller.accountId, id, time);
      const result = await store.feedback.create(customerId, made);
      if (result === 'done') return made;
      if (result === 'gone') return fail('sensor_not_found');
    }
    return fail('unavailable', { waitSeconds: 1 });
  },

  deleteFeedback: async ({ customerId, params: { sensorId, feedbackId }, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    if (await store.feedback.remove(customerId, sensorId, feedbackId, now())) return { status: 'OK' };
    return fail('feedback_not_found');
  },
});
