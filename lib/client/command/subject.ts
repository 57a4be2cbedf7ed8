import type { Subject } from '#openapi';
import type { Client } from '../client.ts';
import { type Answered, ok, statusOf } from '../problem.ts';
import { text, type Values } from './command.ts';
import { customerOf, me } from './customer.ts';
import { readNumber } from './times.ts';

/** Options of the commands about all that is kept of somebody. */
export const subjectOptions = {
  customer: text,
  sensor: text,
  user: text,
  reason: text,
  job: text,
  'of-customer': text,
} as const;
type Given = Values<typeof subjectOptions>;

export const subjectHelp = `  --sensor ID                  a sensor, with whom it watches over
  --user ID                    a user; me is who is logged in
  --customer ID                a customer, with all that it has
  --reason TEXT                why; it is kept with the job
  --of-customer ID             the customer to whom it belongs, where that is not yours; 0: to none
  --job ID                     instead of a new one, a job that has begun before`;

/** What is wrong with the options; null: nothing. */
export const wrongSubject = ({ customer, sensor, user, reason, job, ...given }: Given): string | null => {
  const named = [customer, sensor, user].filter((subject) => subject !== undefined).length;
  if (job !== undefined)
    return named > 0 || reason !== undefined ? '--job has its subject and its reason already' : null;
  if (named !== 1) return 'either one of --sensor, --user and --customer is needed, or --job';
  if (customer !== undefined && given['of-customer'] !== undefined) return '--of-customer is for sensors and users';
  return reason ? null : '--reason is needed';
};

const MOST = Number.MAX_SAFE_INTEGER;
const subjectOf = ({ customer, sensor, user }: Given, ownId: number): Subject => {
  if (sensor !== undefined) return { kind: 'sensor', id: sensor };
  if (user !== undefined) return { kind: 'user', id: user === 'me' ? ownId : readNumber('user', user, [1, MOST], 0) };
  return { kind: 'customer', id: readNumber('customer', customer, [1, MOST], 0) };
};

/** A customer who has jobs. `of`: the same, where it has to be said. */
export type Place = { customerId: number; of: number | undefined };

export const placeOf = async (client: Client, { 'of-customer': given }: Given): Promise<Place> => {
  const customerId = await customerOf(client, given, 'of-customer');
  return { customerId, of: given === undefined ? undefined : customerId };
};

/** Whose data it is about. `isOwn`: the access of the caller is part of it. */
export type Target = Place & { subject: Subject; isOwn: boolean };

export const targetOf = async (client: Client, given: Given): Promise<Target> => {
  const own = await me(client);
  const subject = subjectOf(given, own.id);
  const within = (customerId: number): Place => ({
    customerId,
    of: customerId === own.customerId ? undefined : customerId,
  });
  if (subject.kind === 'customer') return { subject, ...within(subject.id), isOwn: subject.id === own.customerId };
  if (subject.kind === 'user' && subject.id === own.id) return { subject, ...within(own.customerId ?? 0), isOwn: true };
  return { subject, ...(await placeOf(client, given)), isOwn: false };
};

/** What was deleted has no name any more, but can be erased; and not everybody sees the names of all. */
const unlessHidden = async <T>(call: Promise<Answered<T>>): Promise<T | null> =>
  ok(call).catch((error: unknown) => {
    if (![403, 404].includes(statusOf(error))) throw error;
    return null;
  });

/** The name by which people know a subject; its id where there is none. */
export const nameOf = async (client: Client, { kind, id }: Subject): Promise<string> => {
  const named = async () => {
    if (kind === 'sensor')
      return (await unlessHidden(client.GET('/sensors/{sensorId}', { params: { path: { sensorId: id } } })))?.name;
    if (kind === 'user')
      return (await unlessHidden(client.GET('/users/{userId}', { params: { path: { userId: id } } })))?.username;
    return (await unlessHidden(client.GET('/customers/{customerId}', { params: { path: { customerId: id } } })))?.name;
  };
  return (await named())?.trim() || String(id);
};
