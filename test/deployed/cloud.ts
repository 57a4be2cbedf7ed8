import { randomBytes } from 'node:crypto';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { CloudOptions } from '#lib/local/cloud-options.ts';
import { firstStart } from '#lib/local/first-start.ts';
import { type LocalQueues, queuesOf } from '#lib/local/queue/queues.ts';
import { clientConfig } from '#lib/local/table/endpoint.ts';
import { createPasswords } from '#shared/auth/password.ts';
import { aesCipher, createVault } from '#shared/auth/vault.ts';
import type { Publish } from '#shared/aws/publish.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { logTo } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { settingsFrom } from '#shared/runtime/env.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { dynoxideClient, startDynoxide } from '../fixtures/dynoxide.ts';
import { createPolicyCheck, type Judge } from '../fixtures/iam-check.ts';
import { type Account, createAccount } from './account.ts';
import type { Assembly } from './assembly.ts';
import { startEndpoint } from './endpoint.ts';
import { DEFAULT_CONCURRENCY, mappingsOf, startEvents } from './events.ts';
import { createFunctions, type DeployedFunction } from './functions.ts';
import { startGateway, toAccountAddress } from './gateway.ts';
import { metricsIn } from './metrics-read.ts';
import { startMqtt } from './mqtt.ts';
import { policiesOf } from './policies.ts';
import { createQueues, type DeployedQueue } from './queues.ts';

type Options = Pick<CloudOptions, 'first'> &
  Partial<CloudOptions> & {
    /** Variables that override the synthesized stage's settings. */
    environment?: Readonly<Record<string, string>>;
    /** Sets the actual API address in functions, so that they can call it. */
    isReached?: true;
    /** Concurrent invocations for a queue's messages, by queue name. */
    sideBySide?: Readonly<Record<string, number>>;
    /** Executes each put and removal of an item, but loses the first response. */
    losesAnswers?: true;
  };

/** A running cloud assembly, along with what has been observed so far. */
export type Deployed = Cloud & {
  judge: Judge;
  /** Failed invocations: those that threw, timed out or were denied. */
  faults: string[];
  functions: readonly DeployedFunction[];
  account: Account;
  /** The metrics CloudWatch would have extracted from the function logs. */
  measured: ReadonlySet<string>;
};

const createTableIn = async (endpoint: string, TableName: string, design: object): Promise<void> => {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode } = design as CreateTableCommandInput;
  const client = new DynamoDBClient(clientConfig(endpoint));
  const input = { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };
  await client.send(new CreateTableCommand(input));
  client.destroy();
};

/** Returns the queues by name, as on a local host. */
const byName = (queues: readonly DeployedQueue[]): { queues: LocalQueues; dead: LocalQueues } => {
  const pick = (isDead: boolean) =>
    Object.fromEntries(
      queues
        .filter(({ name }) => name.endsWith('-dead') === isDead)
        .map(({ name, queue }) => [name.replace('-dead', ''), queue]),
    ) as LocalQueues;
  return { queues: pick(false), dead: pick(true) };
};

/** Returns a runtime through which tests access the table and the queues directly, bypassing API and policies. */
const directRuntime = (
  options: Options,
  table: Runtime['table'],
  settings: Runtime['settings'],
  waiting: DeployedQueue[],
): Runtime => {
  const { clock = systemClock, random = randomBytes, passwordCost, log = logTo(() => {}) } = options;
  const none = async (): Promise<never> => {
    throw new Error('only functions can do that');
  };
  return {
    settings,
    table,
    createStore: store,
    random,
    log,
    now: clock.now,
    queues: queuesOf(byName(waiting).queues),
    webhookClient: none,
    mail: none,
    createPersonSender: none,
    vault: async () => createVault({ encrypt: none, decrypt: none }),
    passwords: async () => createPasswords(passwordCost, random),
    pause: (ms) => new Promise<void>((resolve) => void clock.after(ms, resolve)),
  };
};

/** Throws, because functions emit metrics through their logs, and this world does not store the values. */
const valuesOf = (name: string): never => {
  throw new Error(`values of metrics are not stored here, including ${name}`);
};

/**
 * Returns the number of processes for a function: one per concurrent invocation if it has queues, otherwise up to two
 * on demand.
 */
const processesOf = (account: Account, sideBySide: (arn: string) => number) => {
  const mappings = mappingsOf(account);
  return (arn: string) => {
    const isOwn = (lambda: string) => lambda === arn || lambda.startsWith(`${arn}:`);
    const own = mappings.filter(({ lambda }) => isOwn(lambda)).map(({ EventSourceArn }) => sideBySide(EventSourceArn));
    const max = own.reduce((sum, count) => sum + count, 0);
    return max > 0 ? { min: Math.max(...own), max } : { min: 0, max: DEFAULT_CONCURRENCY };
  };
};

type Engines = Omit<Awaited<ReturnType<typeof startEngines>>, 'stop'>;
const startEngines = async () => {
  const [engine, endpoint, gateway] = await Promise.all([startDynoxide(), startEndpoint(), startGateway()]);
  return { engine, endpoint, gateway, stop: async () => void (await Promise.all([engine.stop(), endpoint.stop()])) };
};

/** Creates the template's resources on the engines. Throws if they do not fit together. */
const deploy = async (
  assembly: Assembly,
  { engine, endpoint, gateway }: Engines,
  options: Options,
  clock: Clock,
  onLine: (line: string) => void,
  published: Promise<Publish>,
) => {
  const account = createAccount(assembly.template, endpoint.origin);
  const [table] = account.all('AWS::DynamoDB::Table');
  const [key] = account.all('AWS::KMS::Key');
  const [topic] = account.all('AWS::SNS::Topic');
  const [bucket] = account.all('AWS::S3::Bucket');
  if (!table || !key || !topic || !bucket) throw new Error('the template has no table, key, topic, or bucket');
  await createTableIn(engine.endpoint, table.id, table);
  const policies = policiesOf(account);
  const judge = createPolicyCheck(policies);
  const queues = createQueues(account, clock);
  endpoint.open({
    judge,
    queues,
    tableName: table.id,
    tableEndpoint: engine.endpoint,
    keyArn: account.arnOf(key.id),
    topicArn: account.ref(topic.id),
    alarms: { isConfirmed: false, send: (subject) => options.say?.(subject) },
    bucket: account.ref(bucket.id),
    objects: new Map<string, Buffer>(),
    names: [...policies.keys()],
    cipher: aesCipher(randomBytes(32), randomBytes),
    mail: ({ to, subject, text }) => options.say?.(`mail to ${to}: ${subject}\n${text}`),
    notifyOperators: (subject, text) => options.say?.(`message to operators: ${subject}\n${text}`),
    sms: (to, text) => options.say?.(`message to ${to}: ${text}`),
    publish: async (...message) => (await published)(...message),
    ...(options.losesAnswers && { lost: new Set<string>() }),
  });
  const own = toAccountAddress(gateway.origin);
  const settings = {
    ...options.environment,
    ...(options.isReached && { PUBLIC_URL: own, DEVICE_URL: own, OWN_URLS: own }),
  };
  const sideBySide = (arn: string) =>
    options.sideBySide?.[queues.find((queue) => queue.arn === arn)?.name ?? ''] ?? DEFAULT_CONCURRENCY;
  const host = { origin: endpoint.origin, clock, settings, onLine };
  const functions = createFunctions(account, assembly, processesOf(account, sideBySide), host);
  return { account, tableName: table.id, judge, queues, functions, sideBySide };
};

/** Starts the functions in a cloud assembly on the embedded engines, connected as in the template. */
export const startDeployed = async (assembly: Assembly, options: Options): Promise<Deployed> => {
  const { clock = systemClock } = options;
  const faults: string[] = [];
  const onError = (error: unknown) => void faults.push(String(error));
  const measured = new Set<string>();
  const onLine = (line: string): void => {
    for (const metric of metricsIn(line)) measured.add(metric);
    if (line.includes('"level":"error"')) options.log?.('error', line);
  };
  const published = Promise.withResolvers<Publish>();
  const engines = await startEngines();
  const deployed = await deploy(assembly, engines, options, clock, onLine, published.promise).catch(
    async (error: unknown) => {
      await engines.stop();
      throw error;
    },
  );
  const { tableName, functions, queues } = deployed;
  const table = createTable(dynoxideClient(engines.engine.endpoint), tableName);
  const settings = settingsFrom({ ...options.environment, TABLE_NAME: tableName });
  const runtime = directRuntime(options, table, settings, [...queues]);
  const generated = await firstStart(store(table), options.first, runtime);
  const { gateway } = engines;
  gateway.open({ ...deployed, now: clock.now, onError });
  const events = startEvents({ ...deployed, clock, onError });
  const mqtt = options.mqttPort === undefined ? null : await startMqtt({ ...deployed, clock, onError }, runtime.log);
  // Without a domain configuration, no device is connected.
  published.resolve(mqtt?.publish ?? (async () => {}));
  return {
    url: gateway.origin + BASE_PATH,
    mqttUrl: mqtt?.url ?? null,
    homeAssistant: null,
    runtime,
    waiting: byName(queues),
    valuesOf,
    generated,
    // Runs every scheduled function.
    sweep: events.sweep,
    checkChanges: events.sweep,
    idle: events.idle,
    judge: deployed.judge,
    faults,
    functions: [...new Set(functions.values())],
    account: deployed.account,
    measured,
    stop: async () => {
      await Promise.all([gateway.stop(), mqtt?.stop()]);
      await events.stop();
      await Promise.all([...new Set(functions.values())].map((lambda) => lambda.stop()));
      await engines.stop();
    },
  };
};
