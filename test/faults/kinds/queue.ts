import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';
import { everywhere } from './processes.ts';

/** Longer than a failed bell stays hidden. */
const HIDDEN_MS = 361_000;

/** Whatever cannot be read is gone from the queues too, once what was cut short has been done again. */
const nothingUnread = async ({ cloud: { bells }, step }: Scene): Promise<Story> => ({
  after: async () => {
    await step(HIDDEN_MS);
    const queues = 'queues' in bells ? Object.values(bells.queues) : [];
    const full = queues.filter((queue) => queue.stats().inFlight > 0);
    return full.map(({ name }) => `${name} keeps a bell that nobody can read`);
  },
});

/** Nobody finds bells of another version unreadable. */
const allRead = async ({ unread }: Scene): Promise<Story> => {
  const before = unread();
  return { after: async () => (unread() > before ? ['a bell of another version that nobody could read'] : []) };
};

/** Bells are lost, repeated, late, out of order, unreadable, dead, or of another version. */
export const ofQueue: readonly Fault[] = [
  { title: 'every second bell is lost: the sweeper rings', rates: { lostBell: 0.5 }, steps: 1 },
  { title: 'every bell is lost: the sweeper rings for everything', rates: { lostBell: 1 }, steps: 1 },
  { title: 'every bell rings twice: each fall is told once', rates: { doubleBell: 1 } },
  { title: 'bells ring late and out of order', rates: { lateBell: 0.7, doubleBell: 0.3 } },
  {
    title: 'unreadable bells ring between the others: they are put aside, and nothing else is lost',
    rates: { poison: 0.7, trouble: 0.2 },
    story: nothingUnread,
  },
  {
    title: 'bells fail until they are dead, and the sweeper with them: the next one rings anew',
    rates: { crashes: [10, 30], crash: 1 },
    ...{ falls: 'one', steps: 6, stepMs: HIDDEN_MS },
  },
  {
    title: 'a version is deployed in between: bells and items of the one before and of the next are worked off',
    rates: { otherVersion: 0.5, trouble: 0.3, lostBell: 0.1 },
    story: allRead,
  },
  {
    title: 'everything at once',
    rates: {
      ...{ crashes: everywhere, crash: 0.05, refusal: 0.03, lostAnswer: 0.03 },
      ...{ lostBell: 0.2, doubleBell: 0.2, lateBell: 0.2, poison: 0.1, otherVersion: 0.1, trouble: 0.3 },
    },
    steps: 2,
  },
];
