import type { Erasure } from '#openapi';
import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { type CommandIo, command, flag, type OptionValues, UsageError } from './command.ts';
import { laterCommand, startedJob, throwIfFailed, wait } from './job.ts';
import { printable, table, timeText } from './print.ts';
import { connect } from './profiles.ts';
import {
  type JobOwner,
  jobOwnerOf,
  nameOf,
  subjectHelp,
  subjectOptions,
  subjectProblem,
  type Target,
  targetOf,
} from './subject.ts';

/** The minimum erasure duration (minutes). A second pass erases what was still in progress during the first. */
const ERASURE_MINUTES = 16;

const placeText = {
  backups: 'backups',
  logs: 'logs',
  quarantine: 'failed messages and tasks',
  outbox: 'the files of mails and messages in the outbox',
  list_of_erasures: 'the list of erasures, with this certificate',
} as const;

const stateText = ({ state, updateDate, begins, approvedBy }: Erasure): string => {
  // If the second pass finds something, another one follows, so the end cannot be predicted.
  if (state === 'running') return `running, takes at least ${ERASURE_MINUTES} minutes`;
  if (state !== 'requested') return `${state} ${timeText(updateDate)}`;
  return `requested, begins ${timeText(begins ?? 0)}${approvedBy ? '' : ' at the earliest, once it is approved'}`;
};

/** Describes an erasure. Once the erasure is complete, this is the certificate. */
const linesOf = (job: Erasure): string[] => {
  const { id, subject, reason, createDate, counts, remains } = job;
  const erased = Object.entries(counts).map(([kind, count]) => ({ erased: kind, count }));
  const left = remains.map(({ what, until }) => ({
    remains: placeText[what],
    until: until === null ? 'until the operator of the service deletes it' : timeText(until),
  }));
  return [
    `Erasure ${id}: ${stateText(job)}`,
    `of the ${subject.kind} ${printable(String(subject.id))}, started ${timeText(createDate)}`,
    `reason: ${printable(reason)}`,
    ...(erased.length > 0 ? ['', ...table(erased)] : []),
    ...(left.length > 0 ? ['', ...table(left)] : []),
  ];
};

const printErasure = (io: CommandIo, isJson: boolean, job: Erasure): void => {
  for (const line of isJson ? [JSON.stringify(job, null, 2)] : linesOf(job)) io.out(line);
};

const options = { ...subjectOptions, yes: flag, wait: flag } as const;
type EraseOptions = OptionValues<typeof options>;

/** Asks the user to type the subject name, because ids are easily mixed up. */
const confirm = async (client: Client, { subject }: Target, io: CommandIo): Promise<void> => {
  const name = printable(await nameOf(client, subject));
  const id = printable(String(subject.id));
  io.err(
    `This permanently erases the ${subject.kind} ${name}${name === id ? '' : ` (${id})`} and all data stored about it.`,
  );
  const typed = await io.ask(`Type ${name === id ? 'its id' : 'its name'} to confirm: `);
  if (typed.trim() !== name) throw new Error(`Nothing was erased: you did not type ${name}.`);
};

const demandConsent = (values: EraseOptions, io: CommandIo): void => {
  if (values.job === undefined && !values.yes && !io.isTerminal)
    throw new UsageError('there is no terminal to confirm the erasure on: pass --yes');
};

const laterFor = (id: string, of: number | undefined, values: EraseOptions): string =>
  laterCommand(`erase --job ${id}`, of, values);

type Context = { client: Client; values: EraseOptions; io: CommandIo };
/** Waits for an erasure if the options ask for it, and prints the erasure state. */
const follow = async (
  started: Erasure,
  { customerId, of }: JobOwner,
  { client, values, io }: Context,
): Promise<void> => {
  const { id } = started;
  const params = { path: { customerId, erasureId: id } };
  const fetchJob = () => ok(client.GET('/customers/{customerId}/erasures/{erasureId}', { params, signal: io.signal }));
  const name = `erasure ${id}`;
  const job = values.wait ? await wait(started, { name, later: laterFor(id, of, values), fetchJob }, io) : started;
  printErasure(io, values.json, job);
  throwIfFailed(job, name);
};

/**
 * Returns the text printed once an erasure has been requested or started: the state, and how to get the certificate.
 */
const startedText = (job: Erasure, { customerId, of, isOwn }: Target, values: EraseOptions): string => {
  const { id } = job;
  const later = laterFor(id, isOwn ? customerId : of, values);
  if (job.state === 'requested')
    return (
      `Erasure ${id} ${stateText(job)} by a system admin or another user who manages the customer. ` +
      `To see its state, run \`${later}\`.`
    );
  const certificate = isOwn
    ? `It ends your own access, so somebody else has to get the certificate with \`${later}\`.`
    : `To get the certificate, run \`${later}\`.`;
  return `Erasure ${id} started. It takes at least ${ERASURE_MINUTES} minutes. ${certificate}`;
};

export const erase = command({
  about: 'permanently erase all data stored about a sensor, user or customer',
  help: `sensor-cloud erase --sensor ID | --user ID | --customer ID --reason TEXT
Asks you to type the subject's name, and for your password. The erasure takes at least ${ERASURE_MINUTES} minutes, because a
second pass erases what was still in progress. Requires the permission manage_customers.
${subjectHelp}
                               prints the state, or the certificate once completed
  --yes                        do not ask for the name; required without a terminal
  --wait                       wait until the erasure has completed, and print the certificate`,
  options,
  check: subjectProblem,
  run: async (values, io) => {
    demandConsent(values, io);
    const { client } = await connect(values, io);
    if (values.job !== undefined) {
      const owner = await jobOwnerOf(client, values);
      const params = { path: { customerId: owner.customerId, erasureId: values.job } };
      const job = await ok(client.GET('/customers/{customerId}/erasures/{erasureId}', { params }));
      return follow(job, owner, { client, values, io });
    }
    const target = await targetOf(client, values);
    const { subject, customerId, isOwn } = target;
    if (isOwn && values.wait)
      throw new UsageError('this erasure ends your own access, so you cannot wait for it: omit --wait');
    if (!values.yes) await confirm(client, target, io);
    const body = { subject, reason: values.reason ?? '', password: await io.ask('Password: ', 'hidden') };
    const params = { path: { customerId } };
    const job = await startedJob(client.POST('/customers/{customerId}/erasures', { params, body }));
    if (!values.wait) return io.out(values.json ? JSON.stringify(job, null, 2) : startedText(job, target, values));
    io.err(startedText(job, target, values));
    await follow(job, target, { client, values, io });
  },
});
