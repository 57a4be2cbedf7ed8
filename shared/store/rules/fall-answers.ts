import type { Table } from '../engine/client.ts';
import type { HitItem } from '../hits/hit-item.ts';
import type { FallAnswer, FallRef } from './fall-answer.ts';

/**
 * How people responded to falls, and what follows for the falls' alarms. Loaded on first use, because few falls are
 * answered.
 */
export const fallAnswers = (table: Table) => ({
  /** Returns how people responded to a fall. */
  get: async (ref: FallRef): Promise<FallAnswer> => (await import('./fall-answer.ts')).readAnswer(table, ref),

  /** Records a fall's further alarm (settle-fall.ts). */
  recordAlarm: async (ref: FallRef): Promise<void> => {
    await (await import('./settle-fall.ts')).recordAlarm(table, ref);
  },

  /**
   * Updates all of a fall's hits at `now` (ms) to match the answer to it, and ends the event alarms if someone has
   * acknowledged it. Returns the changed hits. Safe to repeat.
   */
  settle: async (ref: FallRef, now: number): Promise<HitItem[]> =>
    (await import('./settle-fall.ts')).settleFall(table, ref, now),

  /** Returns the alarms among a fall's events, if no one has acknowledged it (settle-fall.ts). */
  unanswered: async (ref: FallRef) => (await import('./settle-fall.ts')).unansweredAlarms(table, ref),
});
