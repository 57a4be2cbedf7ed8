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

/** The access key of a function's role: who calls is known by it. */
const keyOf = (name: string) => `ASIA${name.toUpperCase()}`;
/** The function whose credentials signed a call. */
export const callerOf = (authorization: string, names: readonly string[]): string => {
  const [, key = ''] = /Credential=(\w+)\//.exec(authorization) ?? [];
  return names.find((name) => keyOf(name) === key) ?? 'nobody';
};

/** What Lambda sets beside the variables of the template. https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
const setByLambda = (
  name: string,
  { FunctionName, Handler, LoggingConfig, MemorySize, Runtime }: Written,
  folder: string,
) => ({
  AWS_ACCESS_KEY_ID: keyOf(name),
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

/** Where the SDK finds the services of the account: in AWS it knows them by the region. */
const endpointsAt = (origin: string) =>
  Object.fromEntries(
    ['DYNAMODB', 'IOT_DATA_PLANE', 'KMS', 'PINPOINT_SMS_VOICE_V2', 'S3', 'SESV2', 'SNS', 'SQS'].map((service) => [
      `AWS_ENDPOINT_URL_${service}`,
      origin,
    ]),
  );

type Host = {
  origin: string;
  clock: Clock;
  /** Values that another stage would give; only of variables that a function has. */
  settings: Readonly<Record<string, string>>;
  onLine: (line: string) => void;
};

const specOf = (account: Account, { assets }: Assembly, id: string, written: Written, host: Host): FunctionSpec => {
  const { Code, Timeout, MemorySize, Runtime, Environment } = written;
  const folder = assets.get(Code.S3Key);
  if (!folder) throw new Error(`the code of ${id} is no asset of the assembly`);
  if (Runtime !== 'nodejs24.x') throw new Error(`${id} wants ${Runtime}`);
  const name = shortOf(id);
  const given = Environment?.Variables ?? {};
  const other = Object.entries(host.settings).filter(([key]) => key in given);
  const variables = {
    ...given,
    ...Object.fromEntries(other),
    ...setByLambda(name, written, folder),
    ...endpointsAt(host.origin),
  };
  return { name, arn: account.arnOf(id), timeoutSeconds: Timeout, memorySize: MemorySize, variables };
};

/** Processes of a function: so many start before any of them gets a second invocation, and never more than `most`. */
type Processes = { first: number; most: number };

/** The environments of one function. They start when they are needed, and work on one invocation at a time each. */
const createFunction = (spec: FunctionSpec, { first, most }: Processes, { clock, onLine }: Host) => {
  let idle: Environment[] = [];
  const queue: (() => void)[] = [];
  const all: Promise<Environment>[] = [];
  let count = 0;
  const acquire = async (): Promise<Environment> => {
    const alive = idle.filter((environment) => !environment.isGone());
    count -= idle.length - alive.length;
    idle = alive;
    // The one that has rested for longest: work is spread over all of them.
    const rested = count < first ? undefined : idle.shift();
    if (rested) return rested;
    if (count < most) {
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
    /** Gives what the handler gives, as JSON makes it; rejects when it throws, or gives nothing in time. */
    invoke: async (event: unknown): Promise<unknown> => {
      const environment = await acquire();
      try {
        return JSON.parse(await environment.invoke(JSON.stringify(event)));
      } finally {
        release(environment);
      }
    },
    /** How many processes there were. */
    started: () => all.length,
    stop: async () => void (await Promise.all(all.map(async (environment) => (await environment).stop()))),
  };
};
export type DeployedFunction = ReturnType<typeof createFunction>;

type Alias = { FunctionName: string; FunctionVersion: string };
/** The aliases of the template, with the ARNs of what they lead to: the version that is made of their function. */
const aliasesOf = (account: Account): (readonly [alias: string, lambda: string])[] => {
  const versions = account.all<Pick<Alias, 'FunctionName'>>('AWS::Lambda::Version');
  return account.all<Alias>('AWS::Lambda::Alias').map(({ id, FunctionName, FunctionVersion }) => {
    if (!versions.some((version) => version.id === FunctionVersion && version.FunctionName === FunctionName))
      throw new Error(`${id} leads to no version of ${FunctionName}`);
    return [account.ref(id), lambdaArn(FunctionName)];
  });
};

/** The functions of the template by their ARNs, and by those of their aliases. */
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
