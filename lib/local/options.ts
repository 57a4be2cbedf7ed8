import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nonEmpty, settingsOf } from '#shared/runtime/env.ts';
import { environment } from '#shared/settings/environment.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import { requiredOidcSettings } from '#shared/settings/oidc.ts';
import { type InvalidSetting, missingSettings, readSettings } from '#shared/settings/read.ts';
import { proxySettings } from '#shared/settings/service.ts';
import { settingErrors } from '#shared/settings/setting-errors.ts';
import { misspelled, similarTo } from '#shared/settings/similar.ts';
import type { CloudOptions } from './cloud-options.ts';
import { homeAssistantFrom, homeAssistantProblems, homeAssistantWarnings } from './home-assistant/settings.ts';
import { isLoopback } from './http/listening.ts';
import { smtpFrom, smtpProblems, smtpWarnings } from './mail/smtp-settings.ts';
import { hasCertificates } from './trusted-roots.ts';
import { type VariableName, type VariableValues, variableNames, variables } from './variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;
type Options = CloudOptions & {
  withDemo: boolean;
  /** Sentences about settings that are valid but perhaps unintended. */
  warnings: readonly string[];
};

/** The minimum length (bytes) of the first password if the service is open to the network, where it can be guessed. */
const MIN_BYTES_ON_NETWORK = 12;

/** Variables that must be set together or not at all. */
const together: readonly (readonly VariableName[])[] = [['TLS_CERT', 'TLS_KEY'], proxySettings, requiredOidcSettings];

/**
 * Sentences about missing variables. An invalid variable does not count as missing and does not yet require its related
 * variables.
 */
const incomplete = (env: Variables, invalid: readonly InvalidSetting[]): string[] =>
  together
    .filter((names) => names.some((name) => env[name] !== undefined && invalid.every((other) => other.name !== name)))
    .flatMap((names) => missingSettings(names, (name) => env[name] !== undefined));

const contradictions = (values: VariableValues): string[] => {
  const { HOST, PORT, MQTT_PORT, DATA_DIR, ADMIN_PASSWORD } = values;
  const isShort = ADMIN_PASSWORD !== null && Buffer.byteLength(ADMIN_PASSWORD) < MIN_BYTES_ON_NETWORK;
  return [
    ...(values.SMS_TOKEN !== null && values.SMS_URL === null
      ? ['SMS_URL is missing: SMS_TOKEN is of no use without it']
      : []),
    ...(MQTT_PORT === PORT && PORT !== 0 ? ['MQTT_PORT must differ from PORT'] : []),
    ...(isShort && !isLoopback(HOST)
      ? [
          `ADMIN_PASSWORD must have at least ${MIN_BYTES_ON_NETWORK} bytes if HOST opens the service to the network; leave it unset to generate one`,
        ]
      : []),
    ...(DATA_DIR === ':memory:' && values.AWS_ENDPOINT_URL_DYNAMODB && !values.AWS_ENDPOINT_URL_KMS
      ? [
          'DATA_DIR must be a folder if AWS_ENDPOINT_URL_DYNAMODB is set: with :memory: the key that encrypts secrets would be lost',
        ]
      : []),
  ];
};

/** Problems with the files and folders named by variables. */
const unusable = ({ DATA_DIR, ...values }: VariableValues): string[] => {
  const { TLS_CERT, TLS_KEY, SMTP_PASSWORD_FILE, SMTP_CA, EXTRA_CA_CERTS } = values;
  const { HOME_ASSISTANT_MQTT_PASSWORD_FILE, HOME_ASSISTANT_MQTT_CA } = values;
  const files = {
    TLS_CERT,
    TLS_KEY,
    SMTP_PASSWORD_FILE,
    SMTP_CA,
    EXTRA_CA_CERTS,
    HOME_ASSISTANT_MQTT_PASSWORD_FILE,
    HOME_ASSISTANT_MQTT_CA,
  };
  const unreadable = Object.entries(files).flatMap(([name, file]) =>
    file === null || canRead(file) ? [] : [`${name}: the file ${file} cannot be read`],
  );
  const isNoCertificate =
    EXTRA_CA_CERTS !== null && canRead(EXTRA_CA_CERTS) && !hasCertificates(readFileSync(EXTRA_CA_CERTS, 'utf8'));
  if (isNoCertificate) unreadable.push(`EXTRA_CA_CERTS: the file ${EXTRA_CA_CERTS} must contain certificates (PEM)`);
  return [...unreadable, ...(DATA_DIR === ':memory:' ? [] : unwritable(DATA_DIR))];
};
const canRead = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};
/** Creates a folder and its parents. Node's `recursive` option never returns below /proc. */
const createFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder);
};
const unwritable = (folder: string): string[] => {
  if (existsSync(folder) && !statSync(folder).isDirectory()) return [`DATA_DIR must be a folder; ${folder} is a file`];
  try {
    createFolder(resolve(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [`DATA_DIR: the folder ${resolve(folder)} cannot be written (${(error as NodeJS.ErrnoException).code})`];
  }
};

/** Warnings about unknown variables similar to a known one. Other unknown variables are normal in an environment. */
const unknownVariables = (env: Variables, meantBy: typeof similarTo): string[] =>
  Object.keys(env).flatMap((name) => {
    const known = name in variables || name.startsWith('AWS_') ? undefined : meantBy(name, variableNames);
    return known ? [`unknown variable ${name}: did you mean ${known}?`] : [];
  });

const warningsOf = (env: Variables, values: VariableValues): string[] => {
  const { HOST, TLS_CERT, TRUSTED_PROXY_SECRET } = values;
  const isPlainText = !isLoopback(HOST) && !TLS_CERT && !TRUSTED_PROXY_SECRET;
  return [
    ...unknownVariables(env, similarTo),
    ...(isPlainText
      ? [
          `connections to ${HOST} are not encrypted, so others on the network can read and change passwords, tokens and alarms: ` +
            'set TLS_CERT and TLS_KEY, or put a proxy with TLS in front (TRUSTED_PROXY_HEADER)',
        ]
      : []),
    ...smtpWarnings(values),
    ...homeAssistantWarnings(values),
  ];
};

/** The settings that functions read. Those that only the AWS stack can set have their defaults here. */
const settingsOfFunctions = (env: Variables) =>
  settingsOf(
    readSettings(settingsFor(environment, 'local'), (name) => (name in variables ? env[name] : undefined)).values,
  );

/** Reads the options from the environment. Throws one error with a sentence for each invalid variable. */
export const optionsFrom = (environmentVariables: Variables): Options => {
  const env = nonEmpty(environmentVariables);
  const { values, wrong: invalid } = readSettings(variables, (name) => env[name]);
  const problems = [
    ...unknownVariables(env, misspelled),
    ...settingErrors(invalid),
    ...incomplete(env, invalid),
    ...contradictions(values),
  ];
  if (problems.length === 0)
    problems.push(...smtpProblems(values), ...homeAssistantProblems(values), ...unusable(values));
  if (problems.length > 0) throw new Error(`invalid settings:\n  ${problems.join('\n  ')}`);
  const { MQTT_PORT, TLS_CERT, TLS_KEY, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_KMS } =
    values;
  const smtp = smtpFrom(values);
  const homeAssistant = homeAssistantFrom(values);
  return {
    host: values.HOST,
    port: values.PORT,
    withDemo: values.DEMO,
    dataDir: values.DATA_DIR,
    settings: settingsOfFunctions(env),
    first: {
      adminUsername: values.ADMIN_USERNAME,
      adminPassword: values.ADMIN_PASSWORD ?? undefined,
      provisioningKey: values.PROVISIONING_KEY ?? undefined,
    },
    warnings: warningsOf(env, values),
    ...(TLS_CERT !== null && TLS_KEY !== null && { tls: { cert: TLS_CERT, key: TLS_KEY } }),
    ...(MQTT_PORT !== null && { mqttPort: MQTT_PORT }),
    ...(values.SMS_URL !== null && { sms: { url: values.SMS_URL, token: values.SMS_TOKEN } }),
    hasOutbox: values.OUTBOX ?? values.DEMO,
    ...(smtp && { smtp }),
    ...(homeAssistant && { homeAssistant }),
    ...(values.EXTRA_CA_CERTS !== null && { extraCaFile: values.EXTRA_CA_CERTS }),
    ...(AWS_ENDPOINT_URL_DYNAMODB && { tableEndpoint: AWS_ENDPOINT_URL_DYNAMODB }),
    ...(AWS_ENDPOINT_URL_SQS && { queueEndpoint: AWS_ENDPOINT_URL_SQS }),
    ...(AWS_ENDPOINT_URL_KMS && { keyEndpoint: AWS_ENDPOINT_URL_KMS }),
  };
};
