import type { Table } from '../engine/client.ts';
import type { HitItem } from '../hits/hit-item.ts';
import type { FallAnswer, FallRef } from './fall-answer.ts';

/**
 * What people did about falls, and what follows from it for their alarms. Loaded on first use, because few falls are
 * answered.
 */
export const fallAnswers = (table: Table) => ({
  /** Returns what people did about a fall. */
  get: async (ref: FallRef): Promise<FallAnswer> => (await import('./fall-answer.ts')).readAnswer(table, ref),

  /** Records a further alarm of a fall (settle-fall.ts). */
  recordAlarm: async (ref: FallRef): Promise<void> => {
    await (await import('./settle-fall.ts')).recordAlarm(table, ref);
  },

  /**
   * Updates all hits of a fall at `now` (ms) to match the answer to it, and ends the alarms of its events if somebody
   * acknowledged it. Returns the hits that it changed. Can be repeated.
   */
  settle: async (ref: FallRef, now: number): Promise<HitItem[]> =>
    (await import('./settle-fall.ts')).settleFall(table, ref, now),

  /** Returns the alarms among the events of a fall, if nobody has acknowledged it (settle-fall.ts). */
  unanswered: async (ref: FallRef) => (await import('./settle-fall.ts')).unansweredAlarms(table, ref),
});
