import { setIn, settingsFrom } from '../../shared/env.ts';
import { type Log, log } from '../../shared/log.ts';
import { type Cloud, type CloudOptions, startCloud } from './cloud.ts';
import { startDemo } from './demo/demo.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const KEY_LOST =
  'DATA_DIR=:memory: forgets the key that secrets of webhooks are sealed with, and the table of ' +
  'AWS_ENDPOINT_URL_DYNAMODB keeps those secrets: set DATA_DIR to a folder';

/** Reads a port from the environment; 0 stands for any free port. */
const portIn = (env: Variables, name: string, otherwise?: number): number => {
  const port = Number(env[name] ?? otherwise);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`wrong environment: ${name}`);
  return port;
};

/** Reads the options from the environment. Throws an error with the names of invalid variables. */
export const optionsFrom = (variables: Variables): CloudOptions & { withDemo: boolean } => {
  const env = setIn(variables);
  const { DEMO = 'true' } = env;
  if (DEMO !== 'true' && DEMO !== 'false') throw new Error('wrong environment: DEMO');
  const port = portIn(env, 'PORT', 3_000);
  const mqttPort = env.MQTT_PORT === undefined ? undefined : portIn(env, 'MQTT_PORT');
  const dataDir = env.DATA_DIR ?? '.local';
  if (dataDir === ':memory:' && env.AWS_ENDPOINT_URL_DYNAMODB) throw new Error(KEY_LOST);
  return {
    port,
    withDemo: DEMO === 'true',
    dataDir,
    settings: settingsFrom({
      ALLOW_PRIVATE_TARGETS: 'true',
      MAIL_SENDER: 'outbox',
      ...env,
      TABLE_NAME: 'sensor-cloud',
    }),
    first: {
      adminUsername: env.ADMIN_USERNAME ?? 'admin',
      adminPassword: env.ADMIN_PASSWORD,
      provisioningKey: env.PROVISIONING_KEY,
    },
    ...(mqttPort !== undefined && { mqttPort }),
    ...(env.AWS_ENDPOINT_URL_DYNAMODB && { tableEndpoint: env.AWS_ENDPOINT_URL_DYNAMODB }),
    ...(env.AWS_ENDPOINT_URL_SQS && { queueEndpoint: env.AWS_ENDPOINT_URL_SQS }),
  };
};

const stopOnSignal = (cloud: Cloud, demo: { stop: () => void } | null): void => {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    demo?.stop();
    cloud.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** Logs only warnings and errors to the console; `npm run trace` shows the course of an event. */
const trouble: Log = (level, ...line) => {
  if (level !== 'info') log(level, ...line);
};

/**
 * Runs the cloud of `npm start` with the options of the environment, until a signal ends it. Prints `ready URL` when
 * it accepts calls.
 */
export const runCloud = async (env: Variables, say: (line: string) => void): Promise<void> => {
  const { withDemo, ...options } = optionsFrom(env);
  const cloud = await startCloud({ ...options, say, log: trouble });
  for (const [what, value] of Object.entries(cloud.generated)) say(`${what}: ${value}`);
  if (cloud.mqttUrl) say(`mqtt ${cloud.mqttUrl}`);
  const demo = withDemo ? await startDemo(cloud, say) : null;
  stopOnSignal(cloud, demo);
  say(`console: ${cloud.url}/console`);
  say(`ready ${cloud.url}`);
};
