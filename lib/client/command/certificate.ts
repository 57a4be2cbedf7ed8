import type { Erasure } from '#openapi';
import type { Io } from './command.ts';
import { printable, table, timeText } from './print.ts';

/** How long an erasure takes at least: it looks again for what was on its way. */
export const ERASURE_MINUTES = 16;

const placeText = {
  backups: 'backups',
  logs: 'logs',
  quarantine: 'messages and tasks that failed',
  list_of_erasures: 'the list of erasures, with this certificate',
} as const;

const stateText = ({ state, updateDate }: Erasure): string =>
  // What is found late is looked for once more, so that nobody knows the end.
  state === 'running' ? `running, for ${ERASURE_MINUTES} minutes or more` : `${state} ${timeText(updateDate)}`;

/** What has become of an erasure, in lines; of one that has completed, this is its certificate. */
const linesOf = (job: Erasure): string[] => {
  const { id, subject, reason, createDate, counts, remains } = job;
  const erased = Object.entries(counts).map(([kind, count]) => ({ erased: kind, count }));
  const left = remains.map(({ what, until }) => ({
    remains: placeText[what],
    until: until === null ? 'for as long as whoever runs the service keeps it' : timeText(until),
  }));
  return [
    `Erasure ${id}: ${stateText(job)}`,
    `of the ${subject.kind} ${printable(String(subject.id))}, begun ${timeText(createDate)}`,
    `because: ${printable(reason)}`,
    ...(erased.length > 0 ? ['', ...table(erased)] : []),
    ...(left.length > 0 ? ['', ...table(left)] : []),
  ];
};

export const printErasure = (io: Io, isJson: boolean, job: Erasure): void => {
  for (const line of isJson ? [JSON.stringify(job, null, 2)] : linesOf(job)) io.out(line);
};
