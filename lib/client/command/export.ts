import { resolve } from 'node:path';
import type { DataExport } from '#openapi';
import { ok } from '../problem.ts';
import { command, flag, type Io, text, type Values } from './command.ts';
import { demandFree, download } from './download.ts';
import { demandUnfailed, itemsOf, laterBy, type Waited, wait } from './job.ts';
import { connect } from './profiles.ts';
import { type Place, placeOf, subjectHelp, subjectOptions, targetOf, wrongSubject } from './subject.ts';

const options = { ...subjectOptions, output: text, force: flag, 'no-wait': flag } as const;
type Given = Values<typeof options>;

const check = (given: Given): string | null => {
  if (given['no-wait'] && (given.output !== undefined || given.force)) return '--no-wait saves no file';
  return given.output === '' ? '--output is the name of a file' : wrongSubject(given);
};

/** Begins the export of the options, or finds the one that has begun before. */
const jobOf = async (given: Given, io: Io): Promise<{ job: DataExport } & Waited<DataExport>> => {
  const { client } = await connect(given, io);
  const waited = ({ customerId, of }: Place, exportId: string) => {
    const params = { path: { customerId, exportId } };
    return {
      name: `export ${exportId}`,
      later: laterBy(`export --job ${exportId}`, of, given),
      look: () => ok(client.GET('/customers/{customerId}/exports/{exportId}', { params, signal: io.signal })),
    };
  };
  if (given.job !== undefined) {
    const found = waited(await placeOf(client, given), given.job);
    return { job: await found.look(), ...found };
  }
  const target = await targetOf(client, given);
  const { subject, customerId } = target;
  const body = { subject, reason: given.reason ?? '', password: await io.ask('Password: ', 'hidden') };
  const job = await ok(client.POST('/customers/{customerId}/exports', { params: { path: { customerId } }, body }));
  io.err(`The export ${job.id} has begun.`);
  return { job, ...waited(target, job.id) };
};

const save = async ({ id, subject, url }: DataExport, given: Given, io: Io): Promise<string> => {
  if (url === null)
    throw new Error(`The file of the export ${id} is deleted: a day after it, or by an erasure. Begin another one.`);
  // The names come from the service, and must not lead to another folder.
  const path = resolve(given.output ?? `${subject.kind}-${id}.zip`.replaceAll(/[^\w.-]/g, '_'));
  await download(url, { path, isForced: given.force }, io);
  return path;
};

// `export` is a word of the language.
export const exported = command({
  about: 'saves all that is kept of a sensor, a user or a customer as a ZIP file',
  help: `sensor-cloud export --sensor ID | --user ID | --customer ID --reason TEXT
Asks for your password, waits until the file is made, and saves it. Needs the permission manage_customers.
${subjectHelp}
  --output FILE                where it is saved; without it, a name of its own in this folder
  --force                      replaces that file
  --no-wait                    ends when the export has begun`,
  options,
  check,
  run: async (given, io) => {
    if (given.output !== undefined) await demandFree({ path: resolve(given.output), isForced: given.force });
    const { job: begun, ...waited } = await jobOf(given, io);
    const { name, later } = waited;
    const tell = ({ url: _, ...job }: DataExport, line: string, file?: string): void =>
      io.out(given.json ? JSON.stringify({ ...job, ...(file !== undefined && { file }) }) : line);
    if (given['no-wait']) {
      demandUnfailed(begun, name);
      return tell(begun, `The ${name}: ${begun.state}. Save it by \`${later}\`.`);
    }
    const job = await wait(begun, waited, io);
    io.err(itemsOf(job) || 'nothing is kept of it');
    const file = await save(job, given, io).catch((cause: unknown) => {
      throw job.url === null ? cause : new Error(`The ${name} is not saved. Again by \`${later}\``, { cause });
    });
    tell(job, file, file);
  },
});
