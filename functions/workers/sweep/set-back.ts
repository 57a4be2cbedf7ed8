import { DAY } from '#shared/domain/event/event.ts';
import type { Escalate } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';

type SetBackDeps = Deps<'due.pages' | 'due.endSetBack' | 'enqueue:timers'>;

/** The longest time (ms) from a round of an escalation to the next one. */
const LONGEST_DELAY = DAY;

const isRound = (due: Due): due is Due & { task: Escalate } => due.task.type === 'escalate';

/**
 * Has all pending rounds of escalations checked after the clock was set back by `by` ms: those counted from a time before that
 * would be found due too late by as much. If this fails, the next sweep repeats it.
 */
export const checkRounds = async ({ store, enqueue, now }: SetBackDeps, by: number): Promise<void> => {
  const start = now();
  for await (const page of store.due.pages(start + by + LONGEST_DELAY)) {
    const rounds = page.filter(isRound).filter(({ time }) => time > start);
    await enqueue(rounds.map(({ task }) => ({ ...task, setBack: by })));
  }
  await store.due.endSetBack();
};
