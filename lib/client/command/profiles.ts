import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createClient } from '../client.ts';
import type { Maker } from '../device-messages.ts';
import { type CommonValues, type Io, UsageError } from './command.ts';

/** What is kept for a stage. Whoever reads it can do what the user can. */
export type Profile = {
  url?: string;
  token?: string;
  /** The user and the id of the token, by which the next login ends it. */
  userId?: number;
  tokenId?: string;
  /** Signs what `listen` gets. */
  secret?: string;
  /** The test sensors that `send` has registered, with the service that knows them. */
  devices?: Partial<Record<Maker, { url: string; sensorId: string; deviceToken: string }>>;
};
type Kept = { profiles: Record<string, Profile> };

const fileOf = ({ env, home }: Io): string =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'sensor-cloud', 'config.json');

const readAll = async (file: string): Promise<Kept> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    const { profiles = {} } = JSON.parse(text) as Partial<Kept>;
    return { profiles };
  } catch {
    throw new Error(`${file} is no JSON: correct it, or remove it and log in again`);
  }
};

export const readProfile = async (io: Io, name: string): Promise<Profile> =>
  (await readAll(fileOf(io))).profiles[name] ?? {};

/** Changes some of a profile, in a file that its owner alone may read. */
export const keepInProfile = async (io: Io, name: string, more: Profile): Promise<void> => {
  const file = fileOf(io);
  const { profiles } = await readAll(file);
  const kept: Kept = { profiles: { ...profiles, [name]: { ...profiles[name], ...more } } };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
};

/** The address of the API behind the one that somebody gives: `/api/v1` goes without saying. */
const apiAt = (given: string): string => {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) throw new UsageError(`no URL: ${given}`);
  const url = new URL(given);
  return `${url.origin}${url.pathname === '/' ? '/api/v1' : url.pathname.replace(/\/+$/, '')}`;
};

/** The address of the service, of the options, the environment or the profile, in this order. */
export const addressOf = (values: CommonValues, io: Io, profile: Profile): string => {
  const given = values.url ?? io.env.SENSOR_CLOUD_URL ?? profile.url;
  if (!given) throw new Error('which service? Log in by `sensor-cloud login --url URL`, or set SENSOR_CLOUD_URL');
  return apiAt(given);
};

/** A client for the user of the environment or of the profile, whose token goes to its own service alone. */
export const connect = async (values: CommonValues, io: Io) => {
  const profile = await readProfile(io, values.profile);
  const url = addressOf(values, io, profile);
  const token = io.env.SENSOR_CLOUD_TOKEN || (profile.url === url ? profile.token : undefined);
  if (!token) throw new Error(`who are you for ${url}? Log in by \`sensor-cloud login\`, or set SENSOR_CLOUD_TOKEN`);
  const reached = { ...(io.fetch && { fetch: io.fetch }), pause: io.pause };
  return { url, profile, reached, client: createClient({ baseUrl: url, token, ...reached }) };
};
