import { resolve } from 'node:path';
import type { DataExport } from 'openapi';
import { ok } from '../problem.ts';
import { command, flag, type Io, text, type Values } from './command.ts';
import { customerOf } from './customer.ts';
import { demandFree, download } from './download.ts';
import { itemsOf, laterBy, wait } from './job.ts';
import { connect } from './profiles.ts';
import { subjectHelp, subjectOptions, targetOf, wrongSubject } from './subject.ts';

const options = { ...subjectOptions, output: text, force: flag, 'no-wait': flag } as const;
type Given = Values<typeof options>;

const check = (given: Given): string | null => {
  if (given['no-wait'] && (given.output !== undefined || given.force)) return '--no-wait saves no file';
  return given.output === '' ? '--output is the name of a file' : wrongSubject(given);
};

/** Begins the export of the options, or finds the one that has begun before. */
const jobOf = async (given: Given, io: Io) => {
  const { client } = await connect(given, io);
  const lookAt = (customerId: number, exportId: string) => () => {
    const params = { path: { customerId, exportId } };
    return ok(client.GET('/customers/{customerId}/exports/{exportId}', { params, signal: io.signal }));
  };
  if (given.job !== undefined) {
    const look = lookAt(await customerOf(client, given['of-customer'], 'of-customer'), given.job);
    return { job: await look(), look };
  }
  const { subject, customerId } = await targetOf(client, given);
  const body = { subject, reason: given.reason ?? '', password: await io.ask('Password: ', 'hidden') };
  const job = await ok(client.POST('/customers/{customerId}/exports', { params: { path: { customerId } }, body }));
  io.err(`The export ${job.id} has begun.`);
  return { job, look: lookAt(customerId, job.id) };
};

const save = async ({ id, subject, url }: DataExport, given: Given, io: Io): Promise<string> => {
  if (url === null)
    throw new Error(`The file of the export ${id} is deleted: a day after it, or by an erasure. Begin another one.`);
  // The names come from the service, and must not lead to another folder.
  const path = resolve(given.output ?? `${subject.kind}-${id}.zip`.replaceAll(/[^\w.-]/g, '_'));
  try {
    await download(url, { path, isForced: given.force }, io);
  } catch (cause) {
    throw new Error(`The export ${id} is not saved. Again by \`${laterBy('export', id, given)}\``, { cause });
  }
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
    const { job: begun, look } = await jobOf(given, io);
    const later = laterBy('export', begun.id, given);
    const tell = ({ url: _, ...job }: DataExport, line: string, file?: string): void =>
      io.out(given.json ? JSON.stringify({ ...job, ...(file !== undefined && { file }) }) : line);
    if (given['no-wait']) return tell(begun, `The export ${begun.id}: ${begun.state}. Save it by \`${later}\`.`);
    const job = await wait(begun, { name: `export ${begun.id}`, later, look }, io);
    io.err(itemsOf(job) || 'nothing is kept of it');
    const file = await save(job, given, io);
    tell(job, file, file);
  },
});
