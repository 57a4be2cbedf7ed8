import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { oidcVariables, proxyVariables, setIn, settingsFrom } from '#shared/runtime/env.ts';
import { missingOf, refusalOf } from '#shared/settings/setting.ts';
import type { CloudOptions } from './cloud-options.ts';
import { isLoopback } from './http/listening.ts';
import { similarTo } from './similar.ts';
import { type Given, type Variable, type VariableName, variableNames, variables } from './variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;
type Options = CloudOptions & {
  withDemo: boolean;
  /** Sentences about settings that are allowed, and perhaps not meant. */
  warnings: readonly string[];
};

/** Whoever can reach the service over a network may guess a password: the first one has at least so many bytes there. */
const LEAST_ON_NETWORK = 12;

const readAll = (env: Variables, wrong: string[]): Given => {
  const read = variableNames.flatMap((name) => {
    const variable: Variable = variables[name];
    const text = env[name];
    if (text === undefined) return [];
    const value = variable.read(text);
    if (value === null) wrong.push(refusalOf(name, variable, text));
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(read);
};

/** Variables that are set together or not at all. */
const together: readonly (readonly VariableName[])[] = [['TLS_CERT', 'TLS_KEY'], proxyVariables, oidcVariables];

const contradictions = (env: Variables, given: Given): string[] => {
  const { HOST = '127.0.0.1', PORT = 3_000, MQTT_PORT, DATA_DIR, ADMIN_PASSWORD } = given;
  const isShort = ADMIN_PASSWORD !== undefined && Buffer.byteLength(ADMIN_PASSWORD) < LEAST_ON_NETWORK;
  return [
    // One that is set and wrong is not missing.
    ...together.flatMap((names) => (names.some((name) => name in given) ? missingOf(names, env) : [])),
    ...(MQTT_PORT !== undefined && MQTT_PORT === PORT && PORT !== 0 ? ['MQTT_PORT is the same port as PORT'] : []),
    ...(isShort && !isLoopback(HOST)
      ? [
          `ADMIN_PASSWORD wants at least ${LEAST_ON_NETWORK} bytes where others can reach the service (HOST), or none: then it is drawn`,
        ]
      : []),
    ...(DATA_DIR === ':memory:' && given.AWS_ENDPOINT_URL_DYNAMODB && !given.AWS_ENDPOINT_URL_KMS
      ? ['DATA_DIR wants a folder where AWS_ENDPOINT_URL_DYNAMODB is set: :memory: forgets the key of its secrets']
      : []),
  ];
};

/** What is wrong with the files that the variables name. */
const unusable = ({ DATA_DIR = '.local', TLS_CERT, TLS_KEY }: Given): string[] => {
  const unreadable = Object.entries({ TLS_CERT, TLS_KEY }).flatMap(([name, file]) =>
    file === undefined || canRead(file) ? [] : [`${name}: the file ${file} cannot be read`],
  );
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
/** Makes a folder and those above it. Node's own `recursive` never returns below /proc. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
};
const unwritable = (folder: string): string[] => {
  if (existsSync(folder) && !statSync(folder).isDirectory()) return [`DATA_DIR wants a folder; ${folder} is a file`];
  try {
    makeFolder(resolve(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [`DATA_DIR: the folder ${resolve(folder)} cannot be written (${(error as NodeJS.ErrnoException).code})`];
  }
};

const warningsOf = (env: Variables, { HOST = '127.0.0.1', TLS_CERT, TRUSTED_PROXY_SECRET }: Given): string[] => {
  const meant = Object.keys(env).flatMap((name) => {
    const known = name in variables || name.startsWith('AWS_') ? undefined : similarTo(name, variableNames);
    return known ? [`there is no variable ${name}: is ${known} meant?`] : [];
  });
  const isReadable = !isLoopback(HOST) && !TLS_CERT && !TRUSTED_PROXY_SECRET;
  return [
    ...meant,
    ...(isReadable
      ? [
          `whoever is between a caller and ${HOST} can read passwords, tokens and alarms, and change them: ` +
            'set TLS_CERT and TLS_KEY, or put a proxy with TLS in front (TRUSTED_PROXY_HEADER)',
        ]
      : []),
  ];
};

/** The variables that functions read, as text. */
const settingsOf = (env: Variables, given: Given) =>
  settingsFrom({
    ALLOW_PRIVATE_TARGETS: 'true',
    MAIL_SENDER: 'outbox',
    ...Object.fromEntries(variableNames.filter((name) => env[name] !== undefined).map((name) => [name, env[name]])),
    ...(given.PUBLIC_URL !== undefined && { PUBLIC_URL: given.PUBLIC_URL }),
    ...(given.DEVICE_URL !== undefined && { DEVICE_URL: given.DEVICE_URL }),
    TABLE_NAME: 'sensor-cloud',
  });

/** Reads the options from the environment. Throws one error that says of every wrong variable what it wants. */
export const optionsFrom = (environment: Variables): Options => {
  const env = setIn(environment);
  const wrong: string[] = [];
  const given = readAll(env, wrong);
  wrong.push(...contradictions(env, given));
  if (wrong.length === 0) wrong.push(...unusable(given));
  if (wrong.length > 0) throw new Error(`wrong settings:\n  ${wrong.join('\n  ')}`);
  const { MQTT_PORT, TLS_CERT, TLS_KEY, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_KMS } = given;
  return {
    host: given.HOST ?? variables.HOST.otherwise,
    port: given.PORT ?? variables.PORT.otherwise,
    withDemo: given.DEMO ?? true,
    dataDir: given.DATA_DIR ?? '.local',
    settings: settingsOf(env, given),
    first: {
      adminUsername: given.ADMIN_USERNAME ?? 'admin',
      adminPassword: given.ADMIN_PASSWORD,
      provisioningKey: given.PROVISIONING_KEY,
    },
    warnings: warningsOf(env, given),
    ...(TLS_CERT !== undefined && TLS_KEY !== undefined && { tls: { cert: TLS_CERT, key: TLS_KEY } }),
    ...(MQTT_PORT !== undefined && { mqttPort: MQTT_PORT }),
    ...(AWS_ENDPOINT_URL_DYNAMODB && { tableEndpoint: AWS_ENDPOINT_URL_DYNAMODB }),
    ...(AWS_ENDPOINT_URL_SQS && { queueEndpoint: AWS_ENDPOINT_URL_SQS }),
    ...(AWS_ENDPOINT_URL_KMS && { keyEndpoint: AWS_ENDPOINT_URL_KMS }),
  };
};
