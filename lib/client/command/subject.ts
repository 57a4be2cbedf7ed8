import type { Subject } from '#openapi';
import type { Client } from '../client.ts';
import { type ApiResult, ok, statusOf } from '../problem.ts';
import { type OptionValues, text } from './command.ts';
import { customerOf, me } from './customer.ts';
import { readNumber } from './times.ts';

/** The options for the personal data commands. */
export const subjectOptions = {
  customer: text,
  sensor: text,
  user: text,
  reason: text,
  job: text,
  'of-customer': text,
} as const;
type SubjectValues = OptionValues<typeof subjectOptions>;

export const subjectHelp = `  --sensor ID                  a sensor, and the person it watches over
  --user ID                    a user; "me" for yourself
  --customer ID                a customer, with everything that belongs to it
  --reason TEXT                why; stored with the job
  --of-customer ID             customer of the sensor or user, if it is not yours; 0 for none
  --job ID                     use a job that was started before, instead of a new one`;

/** Returns what is wrong with the options, or null. */
export const subjectProblem = ({ customer, sensor, user, reason, job, ...others }: SubjectValues): string | null => {
  const named = [customer, sensor, user].filter((subject) => subject !== undefined).length;
  if (job !== undefined)
    return named > 0 || reason !== undefined ? '--job cannot be combined with a subject or --reason' : null;
  if (named !== 1) return 'exactly one of --sensor, --user, --customer and --job is required';
  if (customer !== undefined && others['of-customer'] !== undefined)
    return '--of-customer cannot be combined with --customer';
  return reason ? null : '--reason is required';
};

const MAX_ID = Number.MAX_SAFE_INTEGER;
const subjectOf = ({ customer, sensor, user }: SubjectValues, ownId: number): Subject => {
  if (sensor !== undefined) return { kind: 'sensor', id: sensor };
  if (user !== undefined) return { kind: 'user', id: user === 'me' ? ownId : readNumber('user', user, [1, MAX_ID], 0) };
  return { kind: 'customer', id: readNumber('customer', customer, [1, MAX_ID], 0) };
};

/** The customer a job belongs to. `of` is set if later commands have to name the customer. */
export type JobOwner = { customerId: number; of: number | undefined };

export const jobOwnerOf = async (client: Client, { 'of-customer': option }: SubjectValues): Promise<JobOwner> => {
  const customerId = await customerOf(client, option, 'of-customer');
  return { customerId, of: option === undefined ? undefined : customerId };
};

/** The subject of a job. `isOwn` means that the job covers the caller's own access. */
export type Target = JobOwner & { subject: Subject; isOwn: boolean };

export const targetOf = async (client: Client, values: SubjectValues): Promise<Target> => {
  const own = await me(client);
  const subject = subjectOf(values, own.id);
  const within = (customerId: number): JobOwner => ({
    customerId,
    of: customerId === own.customerId ? undefined : customerId,
  });
  if (subject.kind === 'customer') return { subject, ...within(subject.id), isOwn: subject.id === own.customerId };
  if (subject.kind === 'user' && subject.id === own.id) return { subject, ...within(own.customerId ?? 0), isOwn: true };
  return { subject, ...(await jobOwnerOf(client, values)), isOwn: false };
};

/** Returns null for 403 and 404: deleted subjects can still be erased, and not every caller may see the name. */
const unlessHidden = async <T>(call: Promise<ApiResult<T>>): Promise<T | null> =>
  ok(call).catch((error: unknown) => {
    if (![403, 404].includes(statusOf(error))) throw error;
    return null;
  });

/** Returns the subject name, or the id if there is none. */
export const nameOf = async (client: Client, { kind, id }: Subject): Promise<string> => {
  const name = async () => {
    if (kind === 'sensor')
      return (await unlessHidden(client.GET('/sensors/{sensorId}', { params: { path: { sensorId: id } } })))?.name;
    if (kind === 'user')
      return (await unlessHidden(client.GET('/users/{userId}', { params: { path: { userId: String(id) } } })))
        ?.username;
    return (await unlessHidden(client.GET('/customers/{customerId}', { params: { path: { customerId: id } } })))?.name;
  };
  return (await name())?.trim() || String(id);
};
