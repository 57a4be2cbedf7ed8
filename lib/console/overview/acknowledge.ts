import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { ok, statusOf } from '#lib/client/problem.ts';
import type { FeedbackCreation, RuleHit } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import type { Alarm } from './alarms.ts';
import { cacheHits } from './hits.ts';

const PATH = '/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement';
const paramsOf = ({ ruleCustomerId: customerId, id: ruleHitId }: RuleHit) => ({
  params: { path: { customerId, ruleHitId } },
});

/** Acknowledges a hit. */
export const acknowledge = (hit: RuleHit): Promise<RuleHit> => ok(api.PUT(PATH, { ...paramsOf(hit), body: {} }));

/** Records the outcome of a hit, and returns the hit with it. */
const recordOutcome = async (hit: RuleHit, classification: FeedbackCreation['classification']): Promise<RuleHit> => {
  const { id: ruleHitId, sensorId, sensorEventId: eventId, createDate: referenceDate } = hit;
  const body = { classification, ruleHitId, eventId, referenceDate, reason: 'overview', description: '' };
  const feedback = await ok(api.POST('/sensors/{sensorId}/feedback', { params: { path: { sensorId } }, body }));
  return { ...hit, feedback, updateDate: Math.max(hit.updateDate, feedback.createDate) };
};

/** Applies an action to each hit and caches the results. Throws the first error after all were tried. */
const forEachHit = async (client: QueryClient, hits: readonly RuleHit[], act: (hit: RuleHit) => Promise<RuleHit>) => {
  const results = await Promise.allSettled(hits.map(act));
  const updated = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  for (const hit of updated) cacheHits(client, hit.ruleCustomerId, [hit]);
  // A refused user sees the reason: somebody else was first.
  void client.invalidateQueries({ queryKey: ['hits'] });
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

/** Acknowledges an alarm. */
export const useAcknowledge = ({ hits }: Alarm) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const open = hits.filter(({ acknowledgement }) => !acknowledgement);
  return useWrite({ send: () => forEachHit(client, open, acknowledge), done: sensor.hits.acknowledged });
};

/** Withdraws the acknowledgement of an alarm. */
export const useReopen = ({ hits }: Alarm, userId: number) => {
  const { overview: texts } = useTexts();
  const client = useQueryClient();
  const mine = hits.filter(({ acknowledgement }) => acknowledgement?.userId === userId);
  const withdraw = (hit: RuleHit): Promise<RuleHit> => ok(api.DELETE(PATH, paramsOf(hit)));
  return useWrite({ send: () => forEachHit(client, mine, withdraw), done: texts.reopened });
};

/** Records the outcome of an alarm, and acknowledges it if nobody has. */
export const useRecordOutcome = ({ hits }: Alarm) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const record = (classification: FeedbackCreation['classification']) => async (hit: RuleHit) => {
    const acknowledged = hit.acknowledgement
      ? hit
      : await acknowledge(hit).catch((error: unknown) => ignoreConflict(error, hit));
    return recordOutcome(acknowledged, classification);
  };
  const unanswered = hits.filter(({ feedback }) => !feedback);
  return useWrite({
    send: (classification: FeedbackCreation['classification']) =>
      forEachHit(client, unanswered, record(classification)),
    done: sensor.hits.thanks,
  });
};

const ignoreConflict = (error: unknown, hit: RuleHit): RuleHit => {
  if (statusOf(error) === 409) return hit;
  throw error;
};
