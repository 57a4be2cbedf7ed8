import { Refusal } from '../refusal.ts';

/** Time as an argument, so that tests need not wait: ms since the Unix epoch, and a pause of so many ms. */
export type Waiting = { now: () => number; pause: (ms: number) => Promise<void> };

const MINUTE = 60_000;
/** How often (ms) AWS is asked. */
const EVERY = 5_000;

/** Waits until something `isSo`, and prints that it waits once a minute. Throws a Refusal after `minutes`. */
export const until = async (
  isSo: () => Promise<boolean>,
  { what, minutes }: { what: string; minutes: number },
  { now, pause, say }: Waiting & { say: (line: string) => void },
): Promise<void> => {
  const start = now();
  for (let reported = 0; !(await isSo()); ) {
    const waited = now() - start;
    if (waited > minutes * MINUTE) throw new Refusal(`${what}: that is not so after ${minutes} minutes.`);
    if (Math.floor(waited / MINUTE) > reported) {
      reported = Math.floor(waited / MINUTE);
      say(`        waiting for ${reported} min: ${what}`);
    }
    await pause(EVERY);
  }
};
