import { defaultQuotas, type Quotas } from '../domain/identity/quota.ts';
import { readTime } from '../domain/time/time.ts';
import { environment } from '../settings/environment.ts';
import { type InvalidSetting, missingSettings, readSettings } from '../settings/read.ts';
import { proxySettings } from '../settings/service.ts';
import type { SettingValues } from '../settings/setting.ts';

type ParsedSettings = SettingValues<typeof environment>;
/** The settings read by functions, by variable name. */
export type Settings = Omit<ParsedSettings, 'QUOTAS' | 'CREDENTIALS_SINCE'> & {
  QUOTAS: Quotas;
  /** In ms, or 0 if credentials of any age are valid. */
  CREDENTIALS_SINCE: number;
};

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables that are set. An empty variable counts as unset, because it would read as 0 for a number, and
 * would match an empty password.
 */
export const nonEmpty = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

/** Returns the settings as functions use them. */
export const settingsOf = (read: ParsedSettings): Settings => {
  // Without a request limit, messages are not limited either, unless QUOTAS sets a limit for them.
  const unlimited = read.RATE_LIMIT_PER_SECOND === 0 ? { messagesPerSecond: 0 } : {};
  return {
    ...read,
    QUOTAS: { ...defaultQuotas, ...unlimited, ...read.QUOTAS },
    CREDENTIALS_SINCE: readTime(read.CREDENTIALS_SINCE) ?? 0,
  };
};

/** Describes an invalid variable, leaving out the value because the sentence ends up in the log. */
const sentenceOf = ({ name, schema: { description }, issues }: InvalidSetting): string => {
  const requirement = `must be ${description}`;
  const details = issues.filter(({ message }) => message !== requirement);
  return [`${name} ${requirement}`, ...details.map(({ path, message }) => [...path, message].join(': '))].join('; ');
};

/** Checks the environment and returns the settings. Throws one error with a sentence for each invalid variable. */
export const settingsFrom = (variables: Variables): Settings => {
  const set = nonEmpty(variables);
  const { values, wrong } = readSettings(environment, (name) => set[name]);
  const problems = [...missingSettings(proxySettings, (name) => set[name] !== undefined), ...wrong.map(sentenceOf)];
  if (problems.length > 0) throw new Error(`invalid environment:\n  ${problems.join('\n  ')}`);
  return settingsOf(values);
};

export const settingsFromProcess = (): Settings => settingsFrom(process.env);
/** Returns the credentials, region and endpoints provided by the Lambda runtime. */
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
