import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { AcknowledgingUser, ClosingUser, FeedbackCreation, RuleHit } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import type { Row } from './board.ts';
import type { OpenFall } from './falls.ts';
import { cacheHits } from './hits.ts';
import { refetchStation } from './station-query.ts';

const HIT = '/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement';
const FALL = '/sensors/{sensorId}/falls/{uuid}/acknowledgement';
const paramsOf = ({ ruleCustomerId: customerId, id: ruleHitId }: RuleHit) => ({
  params: { path: { customerId, ruleHitId } },
});

export const acknowledge = (hit: RuleHit, body: AcknowledgingUser = {}): Promise<RuleHit> =>
  ok(api.PUT(HIT, { ...paramsOf(hit), body }));

/** Returns the uuid of the fall event. Throws if there is none. */
const eventOf = ({ uuid }: OpenFall): string => {
  if (uuid === null) throw new Error('no event of the fall was found');
  return uuid;
};

/** A write for an alarm. Returns the hits it changed. */
type Act = () => Promise<readonly RuleHit[]>;

/** Performs all writes, and caches the changed hits. Throws the first error after trying all of them. */
const doAll = async (client: QueryClient, acts: readonly Act[]): Promise<void> => {
  const results = await Promise.allSettled(acts.map((act) => act()));
  for (const result of results)
    for (const hit of result.status === 'fulfilled' ? result.value : []) cacheHits(client, hit.ruleCustomerId, [hit]);
  // The refetch shows a refused user the reason: someone else got there first.
  await refetchStation(client);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

const hitsOf = ({ items }: Row): RuleHit[] => items.flatMap(({ alarm }) => alarm?.hits ?? []);
const unreportedOf = ({ items }: Row): OpenFall[] => items.flatMap(({ alarm, fall }) => (fall && !alarm ? [fall] : []));

const acknowledgeFall = async (fall: OpenFall, body: AcknowledgingUser): Promise<[]> => {
  await ok(api.PUT(FALL, { params: { path: { sensorId: fall.sensorId, uuid: eventOf(fall) } }, body }));
  return [];
};

/** Acknowledges everything open in a room. At a display, people enter their name. */
export const useAcknowledge = (row: Row, onDone?: () => void) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const hits = hitsOf(row).filter(({ acknowledgement }) => !acknowledgement);
  const falls = unreportedOf(row).filter(({ acknowledgement }) => !acknowledgement);
  const acts = (body: AcknowledgingUser): Act[] => [
    ...hits.map((hit) => async () => [await acknowledge(hit, body)]),
    ...falls.map((fall) => () => acknowledgeFall(fall, body)),
  ];
  return useWrite({
    send: (body: AcknowledgingUser) => doAll(client, acts(body)),
    done: sensor.hits.acknowledged,
    ...(onDone && { onDone }),
  });
};

const withdrawFall = async (fall: OpenFall): Promise<[]> => {
  await ok(api.DELETE(FALL, { params: { path: { sensorId: fall.sensorId, uuid: eventOf(fall) } } }));
  return [];
};

/** Withdraws the user's acknowledgements in a room. */
export const useReopen = (row: Row, userId: number) => {
  const { overview: texts } = useTexts();
  const client = useQueryClient();
  const isMine = ({ acknowledgement }: Pick<OpenFall, 'acknowledgement'>) => acknowledgement?.userId === userId;
  const acts: Act[] = [
    ...hitsOf(row)
      .filter(isMine)
      .map((hit) => async () => [await ok(api.DELETE(HIT, paramsOf(hit)))]),
    ...unreportedOf(row)
      .filter(isMine)
      .map((fall) => () => withdrawFall(fall)),
  ];
  return useWrite({ send: () => doAll(client, acts), done: texts.reopened });
};

/** Closes the falls in a room with their outcomes. */
export const useClose = (row: Row) => {
  const { overview: texts } = useTexts();
  const client = useQueryClient();
  const close =
    ({ alarm, fall }: Row['items'][number], body: ClosingUser): Act =>
    async () => {
      const uuid = alarm ? alarm.hits[0].sensorEventId : fall && eventOf(fall);
      if (uuid === undefined) return [];
      const params = { path: { sensorId: row.sensorId, uuid } };
      const { closure, acknowledgement } = await ok(
        api.PUT('/sensors/{sensorId}/falls/{uuid}/closure', { params, body }),
      );
      const updateDate = closure?.date ?? 0;
      return (alarm?.hits ?? []).map((hit) => ({
        ...hit,
        closure,
        acknowledgement: hit.acknowledgement ?? acknowledgement,
        updateDate: Math.max(hit.updateDate, updateDate),
      }));
    };
  return useWrite({
    send: (body: ClosingUser) =>
      doAll(
        client,
        row.items.map((item) => close(item, body)),
      ),
    done: texts.closedNow,
  });
};

type Classification = FeedbackCreation['classification'];

/** Records a hit's outcome, and returns the updated hit. */
const recordOutcome = async (hit: RuleHit, classification: Classification): Promise<RuleHit> => {
  const { id: ruleHitId, sensorId, sensorEventId: eventId, createDate: referenceDate } = hit;
  const body = { classification, ruleHitId, eventId, referenceDate, reason: 'station', description: '' };
  const feedback = await ok(api.POST('/sensors/{sensorId}/feedback', { params: { path: { sensorId } }, body }));
  return { ...hit, feedback, updateDate: Math.max(hit.updateDate, feedback.createDate) };
};

/** Records the outcome of an acknowledged alarm. */
export const useRecordOutcome = (row: Row) => {
  const { sensor } = useTexts();
  const client = useQueryClient();
  const unanswered = hitsOf(row).filter(({ feedback }) => !feedback);
  return useWrite({
    send: (classification: Classification) =>
      doAll(
        client,
        unanswered.map(
          (hit): Act =>
            async () => [await recordOutcome(hit, classification)],
        ),
      ),
    done: sensor.hits.thanks,
  });
};
