import { UserError } from '../user-error.ts';

/** The clock and the pause (ms), injected so tests do not have to wait. */
export type Timing = { now: () => number; pause: (ms: number) => Promise<void> };

const MINUTE = 60_000;
/** The AWS polling interval (ms). */
const POLL_MS = 5_000;

/** Waits until a condition is true, and prints once a minute that it is waiting. Throws a UserError after `minutes`. */
export const waitUntil = async (
  condition: () => Promise<boolean>,
  { what, minutes }: { what: string; minutes: number },
  { now, pause, say }: Timing & { say: (line: string) => void },
): Promise<void> => {
  const start = now();
  for (let reported = 0; !(await condition()); ) {
    const waited = now() - start;
    if (waited > minutes * MINUTE) throw new UserError(`Timed out after ${minutes} minutes, waiting until ${what}.`);
    if (Math.floor(waited / MINUTE) > reported) {
      reported = Math.floor(waited / MINUTE);
      say(`        waiting for ${reported} min until ${what}`);
    }
    await pause(POLL_MS);
  }
};
