import type { Clock } from '../../lib/local/clock.ts';

/** A clock that runs with the machine's, and can be set ahead: what falls due on the way runs at once, in order. */
export const skippingClock = () => {
  const timers = new Set<{ at: number; run: () => void }>();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const fire = (): void => {
    const due = [...timers].filter(({ at }) => at <= now()).sort((a, b) => a.at - b.at);
    for (const timer of due) if (timers.delete(timer)) timer.run();
  };
  const clock: Clock = {
    now,
    after: (ms, run) => {
      const timer = { at: now() + ms, run };
      timers.add(timer);
      const waiting = setTimeout(fire, ms + 1).unref();
      return () => {
        clearTimeout(waiting);
        timers.delete(timer);
      };
    },
  };
  const skip = (ms: number): void => {
    ahead += Math.round(ms);
    fire();
  };
  return { clock, skip };
};
