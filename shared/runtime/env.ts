import { defaultQuotas, type Quotas } from '../domain/identity/quota.ts';
import { readTime } from '../domain/time/time.ts';
import { environment } from '../settings/environment.ts';
import { missingOf, readSettings, type Wrong } from '../settings/read.ts';
import { proxySettings } from '../settings/service.ts';
import type { Values } from '../settings/setting.ts';

type Read = Values<typeof environment>;
/** The settings that functions read, by the names of their variables. */
export type Settings = Omit<Read, 'QUOTAS' | 'CREDENTIALS_SINCE'> & {
  QUOTAS: Quotas;
  /** In ms; 0 when no credentials are void by their age. */
  CREDENTIALS_SINCE: number;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that are set. An empty one counts as not set: as a number it would be 0, as a password it would match. */
export const setIn = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

/** Returns the settings as functions use them. */
export const settingsOf = (read: Read): Settings => {
  // Without a limit of calls messages are not limited either, unless QUOTAS names their limit.
  const uncounted = read.RATE_LIMIT_PER_SECOND === 0 ? { messagesPerSecond: 0 } : {};
  return {
    ...read,
    QUOTAS: { ...defaultQuotas, ...uncounted, ...read.QUOTAS },
    CREDENTIALS_SINCE: readTime(read.CREDENTIALS_SINCE) ?? 0,
  };
};

/** A sentence about a wrong variable, without its value: it ends up in the log. */
const sentenceOf = ({ name, schema: { description }, issues }: Wrong): string => {
  const says = `must be ${description}`;
  const details = issues.filter(({ message }) => message !== says);
  return [`${name} ${says}`, ...details.map(({ path, message }) => [...path, message].join(': '))].join('; ');
};

/** Checks the environment and returns the settings. Throws one error with a sentence for each wrong variable. */
export const settingsFrom = (variables: Variables): Settings => {
  const given = setIn(variables);
  const { values, wrong } = readSettings(environment, (name) => given[name]);
  const refused = [...missingOf(proxySettings, (name) => given[name] !== undefined), ...wrong.map(sentenceOf)];
  if (refused.length > 0) throw new Error(`wrong environment:\n  ${refused.join('\n  ')}`);
  return settingsOf(values);
};

export const settings = (): Settings => settingsFrom(process.env);
/** The credentials and the region that the Lambda runtime provides. */
export const runtimeEnvironment = () => ({
  region: process.env.AWS_REGION ?? 'us-east-1',
  endpoints: {
    table: process.env.AWS_ENDPOINT_URL_DYNAMODB,
    queues: process.env.AWS_ENDPOINT_URL_SQS,
    mail: process.env.AWS_ENDPOINT_URL_SESV2,
  },
  credentials: {
    accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? 'local',
    secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
    ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
  },
});
