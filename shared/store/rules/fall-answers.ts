import type { Table } from '../engine/client.ts';
import type { HitItem } from '../hits/hit-item.ts';
import type { FallAnswer, FallRef } from './fall-answer.ts';

/**
 * How people responded to falls, and what follows for the fall alarms. Loaded on first use, because few falls are
 * answered.
 */
export const fallAnswers = (table: Table) => ({
  /** Returns how people responded to a fall. */
  get: async (ref: FallRef): Promise<FallAnswer> => (await import('./fall-answer.ts')).readAnswer(table, ref),

  /** Records another alarm in a fall (settle-fall.ts). */
  recordAlarm: async (ref: FallRef): Promise<void> => {
    await (await import('./settle-fall.ts')).recordAlarm(table, ref);
  },

  /**
   * Updates all hits for a fall at `now` (ms) to match the answer to it, and ends the event alarms if someone has
   * acknowledged it. Returns the changed hits. Safe to repeat.
   */
  settle: async (ref: FallRef, now: number): Promise<HitItem[]> =>
    (await import('./settle-fall.ts')).settleFall(table, ref, now),

  /** Returns the alarms among the events in a fall, if no one has acknowledged the fall (settle-fall.ts). */
  unanswered: async (ref: FallRef) => (await import('./settle-fall.ts')).unansweredAlarms(table, ref),
});
