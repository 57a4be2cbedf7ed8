import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createClient } from '../client.ts';
import type { Maker } from '../device-messages.ts';
import { type CommandIo, type CommonValues, UsageError } from './command.ts';

/** Stored credentials for one service. Anyone who reads them can act as the user. */
export type Profile = {
  url?: string;
  token?: string;
  /** The user and token ids, used to revoke the token at the next login. */
  userId?: number;
  tokenId?: string;
  /** Signs what `listen` receives. */
  secret?: string;
  /** The test sensors registered by `send`, with the service they belong to. */
  devices?: Partial<Record<Maker, { url: string; sensorId: string; deviceToken: string }>>;
};
type ConfigFile = { profiles: Record<string, Profile> };

const fileOf = ({ env, home }: CommandIo): string =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'sensor-cloud', 'config.json');

const readAll = async (file: string): Promise<ConfigFile> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    const { profiles = {} } = JSON.parse(text) as Partial<ConfigFile>;
    return { profiles };
  } catch {
    throw new Error(`${file} is not valid JSON: correct it, or delete it and log in again`);
  }
};

export const readProfile = async (io: CommandIo, name: string): Promise<Profile> =>
  (await readAll(fileOf(io))).profiles[name] ?? {};

/** Updates profile fields in a file only the owner can read. */
export const updateProfile = async (io: CommandIo, name: string, more: Profile): Promise<void> => {
  const file = fileOf(io);
  const { profiles } = await readAll(file);
  const updated: ConfigFile = { profiles: { ...profiles, [name]: { ...profiles[name], ...more } } };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(updated, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
};

/** Returns the API URL. `/api/v1` can be omitted. */
const apiAt = (input: string): string => {
  if (!URL.canParse(input) || !/^https?:$/.test(new URL(input).protocol))
    throw new UsageError(`not an http or https URL: ${input}`);
  const url = new URL(input);
  return `${url.origin}${url.pathname === '/' ? '/api/v1' : url.pathname.replace(/\/+$/, '')}`;
};

/** Returns the service URL from the options, the environment or the profile, in that order. */
export const serviceUrlOf = (values: CommonValues, io: CommandIo, profile: Profile): string => {
  const url = values.url ?? io.env.SENSOR_CLOUD_URL ?? profile.url;
  if (!url) throw new Error('No service is configured. Run `sensor-cloud login --url URL`, or set SENSOR_CLOUD_URL.');
  return apiAt(url);
};

/**
 * Creates a client with the token from the environment or the profile. A profile's token is sent only to the profile's
 * own service.
 */
export const connect = async (values: CommonValues, io: CommandIo) => {
  const profile = await readProfile(io, values.profile);
  const url = serviceUrlOf(values, io, profile);
  const token = io.env.SENSOR_CLOUD_TOKEN || (profile.url === url ? profile.token : undefined);
  if (!token) throw new Error(`Not logged in to ${url}. Run \`sensor-cloud login\`, or set SENSOR_CLOUD_TOKEN.`);
  const connection = { ...(io.fetch && { fetch: io.fetch }), pause: io.pause };
  return { url, profile, connection, client: createClient({ baseUrl: url, token, ...connection }) };
};
