import type { Clock } from '#lib/local/clock.ts';
import { type Account, lambdaArn, REGION, shortOf } from './account.ts';
import type { Assembly } from './assembly.ts';
import { type Environment, type FunctionSpec, startEnvironment } from './environment.ts';

type Written = {
  Code: { S3Key: string };
  Environment?: { Variables: Record<string, string> };
  FunctionName: string;
  Handler: string;
  LoggingConfig: { LogGroup: string };
  MemorySize: number;
  Runtime: string;
  Timeout: number;
};

/** Returns the access key for a function's role, which identifies the caller. */
const accessKeyOf = (name: string) => `ASIA${name.toUpperCase()}`;

/** Returns the function whose credentials signed a request. */
export const callerOf = (authorization: string, names: readonly string[]): string => {
  const [, key = ''] = /Credential=(\w+)\//.exec(authorization) ?? [];
  return names.find((name) => accessKeyOf(name) === key) ?? 'nobody';
};

/**
 * Returns the variables that Lambda adds to those in the template.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
const setByLambda = (
  name: string,
  { FunctionName, Handler, LoggingConfig, MemorySize, Runtime }: Written,
  folder: string,
) => ({
  AWS_ACCESS_KEY_ID: accessKeyOf(name),
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  AWS_REGION: REGION,
  AWS_DEFAULT_REGION: REGION,
  AWS_EXECUTION_ENV: `AWS_Lambda_${Runtime}`,
  AWS_LAMBDA_FUNCTION_NAME: FunctionName,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: LoggingConfig.LogGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0',
  LAMBDA_TASK_ROOT: folder,
  _HANDLER: Handler,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
});

/**
 * Returns the variables that point the SDK at the account's services. In AWS, the SDK derives the endpoints from the
 * region.
 */
const endpointsAt = (origin: string) =>
  Object.fromEntries(
    ['CLOUDWATCH', 'DYNAMODB', 'IOT_DATA_PLANE', 'KMS', 'PINPOINT_SMS_VOICE_V2', 'S3', 'SESV2', 'SNS', 'SQS'].map(
      (service) => [`AWS_ENDPOINT_URL_${service}`, origin],
    ),
  );

type Host = {
  origin: string;
  clock: Clock;
  /** Values that override existing function variables. */
  settings: Readonly<Record<string, string>>;
  onLine: (line: string) => void;
};

const specOf = (account: Account, { assets }: Assembly, id: string, written: Written, host: Host): FunctionSpec => {
  const { Code, Timeout, MemorySize, Runtime, Environment } = written;
  const folder = assets.get(Code.S3Key);
  if (!folder) throw new Error(`the code of ${id} is not an asset of the assembly`);
  if (Runtime !== 'nodejs24.x') throw new Error(`${id} has the runtime ${Runtime}`);
  const name = shortOf(id);
  const fromTemplate = Environment?.Variables ?? {};
  const overrides = Object.entries(host.settings).filter(([key]) => key in fromTemplate);
  const variables = {
    ...fromTemplate,
    ...Object.fromEntries(overrides),
    ...setByLambda(name, written, folder),
    ...endpointsAt(host.origin),
  };
  return { name, arn: account.arnOf(id), timeoutSeconds: Timeout, memorySize: MemorySize, variables };
};

/**
 * The number of processes for a function: at least `min` before any of them gets a second invocation, and at most
 * `max`.
 */
type Processes = { min: number; max: number };

/** Creates a function whose environments start on demand and handle one invocation at a time. */
const createFunction = (spec: FunctionSpec, { min, max }: Processes, { clock, onLine }: Host) => {
  let idle: Environment[] = [];
  const queue: (() => void)[] = [];
  const all: Promise<Environment>[] = [];
  let count = 0;
  const acquire = async (): Promise<Environment> => {
    const alive = idle.filter((environment) => !environment.isGone());
    count -= idle.length - alive.length;
    idle = alive;
    // Uses the environment that has been idle the longest, which spreads work across all of them.
    const longestIdle = count < min ? undefined : idle.shift();
    if (longestIdle) return longestIdle;
    if (count < max) {
      count += 1;
      const started = startEnvironment({ ...spec, clock, onLine });
      all.push(started);
      return started;
    }
    await new Promise<void>((resolve) => void queue.push(resolve));
    return acquire();
  };
  const release = (environment: Environment): void => {
    if (environment.isGone()) count -= 1;
    else idle.push(environment);
    queue.shift()?.();
  };
  return {
    name: spec.name,
    timeoutSeconds: spec.timeoutSeconds,
    /** Returns the handler's result, parsed from JSON. Rejects if the handler throws or times out. */
    invoke: async (event: unknown): Promise<unknown> => {
      const environment = await acquire();
      try {
        return JSON.parse(await environment.invoke(JSON.stringify(event)));
      } finally {
        release(environment);
      }
    },
    /** Returns the number of processes started. */
    started: () => all.length,
    stop: async () => void (await Promise.all(all.map(async (environment) => (await environment).stop()))),
  };
};

export type DeployedFunction = ReturnType<typeof createFunction>;

type Alias = { FunctionName: string; FunctionVersion: string };

/** Returns the template's aliases, with the ARNs of their functions. */
const aliasesOf = (account: Account): (readonly [alias: string, lambda: string])[] => {
  const versions = account.all<Pick<Alias, 'FunctionName'>>('AWS::Lambda::Version');
  return account.all<Alias>('AWS::Lambda::Alias').map(({ id, FunctionName, FunctionVersion }) => {
    if (!versions.some((version) => version.id === FunctionVersion && version.FunctionName === FunctionName))
      throw new Error(`${id} does not point to a version of ${FunctionName}`);
    return [account.ref(id), lambdaArn(FunctionName)];
  });
};

/** Creates the template's functions, keyed by function ARN and by alias ARN. */
export const createFunctions = (
  account: Account,
  assembly: Assembly,
  processesOf: (arn: string) => Processes,
  host: Host,
): ReadonlyMap<string, DeployedFunction> => {
  const functions = new Map(
    account.all<Written>('AWS::Lambda::Function').map(({ id, ...written }) => {
      const spec = specOf(account, assembly, id, written, host);
      return [spec.arn, createFunction(spec, processesOf(spec.arn), host)];
    }),
  );
  for (const [alias, arn] of aliasesOf(account)) {
    const lambda = functions.get(arn);
    if (lambda) functions.set(alias, lambda);
  }
  return functions;
};
