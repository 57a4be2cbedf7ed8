import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { ok, statusOf } from '#lib/client/problem.ts';
import type { NewFeedback, RuleHit } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import type { Alarm } from './alarms.ts';
import { keepHits } from './hits.ts';

const PATH = '/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement';
const placeOf = ({ ruleCustomerId: customerId, id: ruleHitId }: RuleHit) => ({
  params: { path: { customerId, ruleHitId } },
});

/** Says that the user takes care of a hit. */
export const acknowledge = (hit: RuleHit): Promise<RuleHit> => ok(api.PUT(PATH, { ...placeOf(hit), body: {} }));

/** Says of a hit what it was; gives the hit with it. */
const judge = async (hit: RuleHit, classification: NewFeedback['classification']): Promise<RuleHit> => {
  const { id: ruleHitId, sensorId, sensorEventId: eventId, createDate: referenceDate } = hit;
  const body = { classification, ruleHitId, eventId, referenceDate, reason: 'overview', description: '' };
  const feedback = await ok(api.POST('/sensors/{sensorId}/feedback', { params: { path: { sensorId } }, body }));
  return { ...hit, feedback, updateDate: Math.max(hit.updateDate, feedback.createDate) };
};

/** Does the same with each hit, and shows what came of it; throws the first error after all were tried. */
const each = async (client: QueryClient, hits: readonly RuleHit[], act: (hit: RuleHit) => Promise<RuleHit>) => {
  const results = await Promise.allSettled(hits.map(act));
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  for (const hit of done) keepHits(client, hit.ruleCustomerId, [hit]);
  // Whoever was refused sees why: somebody else was first.
  void client.invalidateQueries({ queryKey: ['hits'] });
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

/** The user takes care of an alarm. */
export const useGo = ({ hits }: Alarm) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const open = hits.filter(({ acknowledgement }) => !acknowledgement);
  return useWrite({ send: () => each(client, open, acknowledge), done: sensor.hits.acknowledged });
};

/** The user does not take care of an alarm after all. */
export const useStay = ({ hits }: Alarm, userId: number) => {
  const { overview: texts } = useTexts();
  const client = useQueryClient();
  const mine = hits.filter(({ acknowledgement }) => acknowledgement?.userId === userId);
  const withdraw = (hit: RuleHit): Promise<RuleHit> => ok(api.DELETE(PATH, placeOf(hit)));
  return useWrite({ send: () => each(client, mine, withdraw), done: texts.reopened });
};

/** The user says what an alarm was, and so takes care of it, if nobody else does. */
export const useJudge = ({ hits }: Alarm) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const answer = (classification: NewFeedback['classification']) => async (hit: RuleHit) => {
    const taken = hit.acknowledgement ? hit : await acknowledge(hit).catch((error: unknown) => unlessTaken(error, hit));
    return judge(taken, classification);
  };
  const unjudged = hits.filter(({ feedback }) => !feedback);
  return useWrite({
    send: (classification: NewFeedback['classification']) => each(client, unjudged, answer(classification)),
    done: sensor.hits.thanks,
  });
};

const unlessTaken = (error: unknown, hit: RuleHit): RuleHit => {
  if (statusOf(error) === 409) return hit;
  throw error;
};
