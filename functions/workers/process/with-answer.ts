import type { SensorState, Step } from '#shared/domain/sensor/sensor-state.ts';
import { answerStep, newestKeyOf } from '#shared/domain/state/answers.ts';
import type { FallRef } from '#shared/store/rules/fall-answer.ts';
import type { ProcessDeps } from './context.ts';

/** Returns the state with what people have done about a fall, and the events that follow. */
export const withAnswer = async ({ store }: ProcessDeps, ref: FallRef, state: SensorState): Promise<Step> => {
  const { acknowledgement, closure } = await store.fallAnswers.get({ ...ref, fall: newestKeyOf(state, ref.fall) });
  const answer = { isAcknowledged: acknowledgement !== undefined, closedAt: closure?.date ?? null };
  return answerStep(state, ref.fall, answer);
};
