import type { Erasure } from '#openapi';
import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { command, flag, type Io, UsageError, type Values } from './command.ts';
import { demandUnfailed, laterBy, wait } from './job.ts';
import { printable, table, timeText } from './print.ts';
import { connect } from './profiles.ts';
import {
  nameOf,
  type Place,
  placeOf,
  subjectHelp,
  subjectOptions,
  type Target,
  targetOf,
  wrongSubject,
} from './subject.ts';

/** How long an erasure takes at least: it looks again for what was on its way. */
const ERASURE_MINUTES = 16;

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

const printErasure = (io: Io, isJson: boolean, job: Erasure): void => {
  for (const line of isJson ? [JSON.stringify(job, null, 2)] : linesOf(job)) io.out(line);
};

const options = { ...subjectOptions, yes: flag, wait: flag } as const;
type Given = Values<typeof options>;

/** Lets somebody type the name of what is erased: an id is easily that of another. */
const confirm = async (client: Client, { subject }: Target, io: Io): Promise<void> => {
  const name = printable(await nameOf(client, subject));
  const id = printable(String(subject.id));
  io.err(
    `This erases the ${subject.kind} ${name}${name === id ? '' : ` (${id})`} with all that is kept of it, for good.`,
  );
  const typed = await io.ask(`Type ${name === id ? 'its id' : 'its name'} to go on: `);
  if (typed.trim() !== name) throw new Error(`Nothing is erased: that is not ${name}.`);
};

const demandConsent = (given: Given, io: Io): void => {
  if (given.job === undefined && !given.yes && !io.isTerminal)
    throw new UsageError('nobody is at a terminal to type the name of what is erased: say --yes');
};

const laterFor = (id: string, of: number | undefined, given: Given): string => laterBy(`erase --job ${id}`, of, given);

type Followed = { client: Client; given: Given; io: Io };
/** Waits for an erasure where that is wanted, and prints what has become of it. */
const follow = async (begun: Erasure, { customerId, of }: Place, { client, given, io }: Followed): Promise<void> => {
  const { id } = begun;
  const params = { path: { customerId, erasureId: id } };
  const look = () => ok(client.GET('/customers/{customerId}/erasures/{erasureId}', { params, signal: io.signal }));
  const name = `erasure ${id}`;
  const job = given.wait ? await wait(begun, { name, later: laterFor(id, of, given), look }, io) : begun;
  printErasure(io, given.json, job);
  demandUnfailed(job, name);
};

/** Tells how it goes on. */
const tell = ({ id }: Erasure, { customerId, of, isOwn }: Target, given: Given): string => {
  const later = laterFor(id, isOwn ? customerId : of, given);
  const certificate = isOwn
    ? `Your access ends with it: somebody else gets its certificate by \`${later}\`.`
    : `Its certificate: \`${later}\`.`;
  return `The erasure ${id} has begun. It completes after ${ERASURE_MINUTES} minutes or more. ${certificate}`;
};

export const erase = command({
  about: 'erases all that is kept of a sensor, a user or a customer, for good',
  help: `sensor-cloud erase --sensor ID | --user ID | --customer ID --reason TEXT
Asks for the name of what is erased and for your password; from a pipe, for the password alone. It completes after
${ERASURE_MINUTES} minutes or more, in which it looks again for what was on its way. Needs the permission manage_customers.
${subjectHelp}
                               its state is printed, and its certificate once it has completed
  --yes                        does not ask for the name; needed where there is no terminal
  --wait                       waits until it has completed, and prints its certificate`,
  options,
  check: wrongSubject,
  run: async (given, io) => {
    demandConsent(given, io);
    const { client } = await connect(given, io);
    if (given.job !== undefined) {
      const place = await placeOf(client, given);
      const params = { path: { customerId: place.customerId, erasureId: given.job } };
      const job = await ok(client.GET('/customers/{customerId}/erasures/{erasureId}', { params }));
      return follow(job, place, { client, given, io });
    }
    const target = await targetOf(client, given);
    const { subject, customerId, isOwn } = target;
    if (isOwn && given.wait)
      throw new UsageError('your own access ends with this erasure, so that you cannot wait for it: leave --wait out');
    if (!given.yes) await confirm(client, target, io);
    const body = { subject, reason: given.reason ?? '', password: await io.ask('Password: ', 'hidden') };
    const job = await ok(client.POST('/customers/{customerId}/erasures', { params: { path: { customerId } }, body }));
    if (!given.wait) return io.out(given.json ? JSON.stringify(job, null, 2) : tell(job, target, given));
    io.err(tell(job, target, given));
    await follow(job, target, { client, given, io });
  },
});
