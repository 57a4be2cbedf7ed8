import { resolve } from 'node:path';
import type { DataExport } from '#openapi';
import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { type CommandIo, command, flag, type OptionValues, text } from './command.ts';
import { download, ensureWritable } from './download.ts';
import { itemsOf, laterCommand, startedJob, throwIfFailed, type WaitableJob, wait } from './job.ts';
import { connect } from './profiles.ts';
import { inSession } from './session.ts';
import { type JobOwner, jobOwnerOf, subjectHelp, subjectOptions, subjectProblem, targetOf } from './subject.ts';

const options = { ...subjectOptions, output: text, force: flag, 'no-wait': flag } as const;
type ExportOptions = OptionValues<typeof options>;

const check = (values: ExportOptions): string | null => {
  if (values['no-wait'] && (values.output !== undefined || values.force))
    return '--no-wait cannot be combined with --output or --force';
  return values.output === '' ? '--output must be the name of a file' : subjectProblem(values);
};

/** Starts an export, or finds the one given with --job. */
const jobOf = async (
  values: ExportOptions,
  io: CommandIo,
): Promise<{ job: DataExport; fetchFile: () => Promise<DataExport> } & WaitableJob<DataExport>> => {
  const { client, url: baseUrl, connection } = await connect(values, io);
  let password: string | null = null;
  const waitable = ({ customerId, of }: JobOwner, exportId: string) => {
    const params = { path: { customerId, exportId } };
    const fetchFrom = (from: Client) =>
      ok(from.GET('/customers/{customerId}/exports/{exportId}', { params, signal: io.signal }));
    /** Fetches the export with the file URL, which is returned only to sessions. */
    const fetchFile = async () => {
      const { username } = await ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
      const user = { username, password: password ?? (await io.ask('Password: ', 'hidden')) };
      return inSession({ baseUrl, ...connection }, io, user, fetchFrom);
    };
    return {
      fetchFile,
      name: `export ${exportId}`,
      later: laterCommand(`export --job ${exportId}`, of, values),
      fetchJob: () => fetchFrom(client),
    };
  };
  if (values.job !== undefined) {
    const found = waitable(await jobOwnerOf(client, values), values.job);
    return { job: await found.fetchJob(), ...found };
  }
  const target = await targetOf(client, values);
  const { subject, customerId } = target;
  password = await io.ask('Password: ', 'hidden');
  const body = { subject, reason: values.reason ?? '', password };
  const job = await startedJob(
    client.POST('/customers/{customerId}/exports', { params: { path: { customerId } }, body }),
  );
  io.err(`Export ${job.id} started.`);
  return { job, ...waitable(target, job.id) };
};

const save = async ({ id, subject, url }: DataExport, values: ExportOptions, io: CommandIo): Promise<string> => {
  if (url === null)
    throw new Error(
      `The file of the export ${id} was deleted: it was a day old, or its data was erased. Start a new export.`,
    );
  // The name comes from the service, and must not point to another folder.
  const path = resolve(values.output ?? `${subject.kind}-${id}.zip`.replaceAll(/[^\w.-]/g, '_'));
  await download(url, { path, isForced: values.force }, io);
  return path;
};

// `export` is a reserved word.
export const exportCommand = command({
  about: 'export all data stored about a sensor, user or customer as a ZIP file',
  help: `sensor-cloud export --sensor ID | --user ID | --customer ID --reason TEXT
Asks for your password, waits for the export, and saves it. Requires the permissions manage_customers, manage_users and
manage_rules; for sensors and customers also manage_bots.
${subjectHelp}
  --output FILE                file to save to; default: a new file in the current folder
  --force                      replace an existing file
  --no-wait                    exit once the export has started`,
  options,
  check,
  run: async (values, io) => {
    if (values.output !== undefined) await ensureWritable({ path: resolve(values.output), isForced: values.force });
    const { job: started, fetchFile, ...waitable } = await jobOf(values, io);
    const { name, later } = waitable;
    const print = ({ url: _, ...job }: DataExport, line: string, file?: string): void =>
      io.out(values.json ? JSON.stringify({ ...job, ...(file !== undefined && { file }) }) : line);
    if (values['no-wait']) {
      throwIfFailed(started, name);
      return print(started, `The ${name} is ${started.state}. To save it, run \`${later}\`.`);
    }
    const job = await wait(started, waitable, io);
    io.err(itemsOf(job) || 'no data is stored');
    const hasFile = job.fileUntil !== null;
    const file = await save(hasFile ? await fetchFile() : job, values, io).catch((cause: unknown) => {
      throw !hasFile ? cause : new Error(`The ${name} could not be saved. Retry with \`${later}\``, { cause });
    });
    print(job, file, file);
  },
});
