/** How long (ms) the outcome of a group says something about others. */
const RECENT = 15 * 60_000;
/** The most groups that are remembered. */
const MOST = 1_000;

/** Remembers how the last tasks of each group ended in this process. */
export const createOutcomes = (now: () => number) => {
  const outcomes = new Map<string, { at: number; isDone: boolean }>();
  return {
    note: (group: string, isDone: boolean): void => {
      // The map is in order of time: the first entry is the oldest one.
      outcomes.delete(group);
      outcomes.set(group, { at: now(), isDone });
      const [oldest] = outcomes.keys();
      if (outcomes.size > MOST && oldest !== undefined) outcomes.delete(oldest);
    },
    /** Do the tasks of this group fail by themselves? Of the others, more succeed than fail. */
    failsAlone: (group: string): boolean => {
      const others = [...outcomes].filter(([name, { at }]) => name !== group && now() - at < RECENT);
      const done = others.filter(([, { isDone }]) => isDone).length;
      return done > others.length - done;
    },
  };
};
export type Outcomes = ReturnType<typeof createOutcomes>;
