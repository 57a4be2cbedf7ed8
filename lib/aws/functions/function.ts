import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  acknowledgeWildcards,
  functionEnvironment,
  permissionsOf,
  pollingPermission,
  type Resources,
} from '../data/grants.ts';
import { removalPolicyOf } from '../data/removal.ts';
import { reservedConcurrencyOf } from '../queues/concurrency.ts';
import { localEndpointVariables } from '../settings/local-stage.ts';
import type { Stage } from '../settings/settings.ts';
import type { Bundle } from './bundle.ts';
import { functionNameOf } from './function-name.ts';
import { hasFunction, type LambdaName, lambdas, type PerFunction } from './lambdas.ts';
import type { Variables } from './variables.ts';

/**
 * Memory (MB) by function. The CPU share grows with memory and reaches a full CPU at 1,769 MB.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const memory: Partial<Record<LambdaName, number>> = {
  // argon2id needs a full CPU.
  auth: 1_769,
  users: 1_769,
  // Memory is also billed while a long poll waits.
  feed: 256,
  // Every open console calls this function every few seconds. It mostly waits for DynamoDB, so it needs little CPU.
  station: 512,
  // These run once a minute, and no one waits for their results.
  sweep: 512,
  'watch-changes': 512,
};
const DEFAULT_MEMORY = 1_024;
const memoryOf = (name: LambdaName, { deviceMemory }: Stage): number =>
  name === 'devices' || name === 'ingest' ? deviceMemory : (memory[name] ?? DEFAULT_MEMORY);

/**
 * Functions log in JSON. Of Lambda's own log lines, only warnings and errors are kept, because the other three lines
 * per invocation cost money.
 */
const LOGGING = {
  loggingFormat: LoggingFormat.JSON,
  applicationLogLevelV2: ApplicationLogLevel.INFO,
  systemLogLevelV2: SystemLogLevel.WARN,
};

type Contract = (typeof lambdas)[number];
type Host = Resources & { stage: Stage; bundles: Readonly<Record<LambdaName, Bundle>>; variables: Variables };

/**
 * Creates a log group for a function, and a role that may write to it and access what the contract `uses`. The role
 * contains no managed policies and no `*`.
 */
const identityOf = (scope: Construct, contract: Contract, { stage, ...resources }: Host) => {
  const { name, uses } = contract;
  const logGroup = new LogGroup(scope, `${name}-logs`, {
    retention: stage.logRetentionDays,
    removalPolicy: removalPolicyOf(stage),
  });
  const logging = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const polling = 'queues' in contract ? [pollingPermission(contract, resources.queues)] : [];
  const statements = [logging, ...permissionsOf(uses, resources), ...polling];
  const role = new Role(scope, `${name}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { rights: new PolicyDocument({ statements }) },
  });
  acknowledgeWildcards(role, uses);
  return { logGroup, role };
};

/**
 * Lambda treats a function that invokes itself through a queue more than 16 times as a runaway loop and stops it.
 * Functions that enqueue tasks for themselves count and limit their attempts, so loop detection is off for them.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const loopOf = (contract: Contract): RecursiveLoop =>
  'queues' in contract && contract.queues.some((queue) => contract.uses.some((use) => use === `enqueue:${queue}`))
    ? RecursiveLoop.ALLOW
    : RecursiveLoop.TERMINATE;

/**
 * Returns the reserved concurrency for a function, which is also the cap. Returns nothing for 0, because a reservation
 * of 0 would stop the function.
 */
const reservationOf = (name: LambdaName, { concurrency, concurrencyCaps }: Stage) => {
  const reservedConcurrentExecutions = reservedConcurrencyOf(name, { ...concurrency, ...concurrencyCaps });
  return reservedConcurrentExecutions > 0 ? { reservedConcurrentExecutions } : {};
};

/** The function for a contract, with a log group and a role limited to exactly what the contract `uses`. */
class ContractFunction extends LambdaFunction {
  constructor(scope: Construct, contract: Contract, host: Host) {
    const { name, timeoutSeconds, uses } = contract;
    super(scope, name, {
      ...identityOf(scope, contract, host),
      functionName: functionNameOf(Stack.of(scope), name),
      description: `${host.stage.serviceName}, ${host.stage.name}: ${name}`,
      // Bundles target this version.
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'handler.handler',
      code: Code.fromAsset(host.bundles[name].folder),
      // Source maps put source lines into stack traces. They add 10 to 20 ms and 6 MB to a cold start.
      environment: {
        ...functionEnvironment(uses, host.variables),
        ...localEndpointVariables(host.stage),
        NODE_OPTIONS: '--enable-source-maps',
      },
      memorySize: memoryOf(name, host.stage),
      ...LOGGING,
      timeout: Duration.seconds(timeoutSeconds),
      ...reservationOf(name, host.stage),
      recursiveLoop: loopOf(contract),
      // X-Ray permissions require the resource `*`, and the request id already ties the log lines for a request
      // together.
      tracing: Tracing.DISABLED,
    });
    // The role reference already implies the dependency added by the CDK.
    (this.node.defaultChild as CfnFunction).addDeletionOverride('DependsOn');
  }
}

/** Creates the functions the stage needs, one for each contract. */
export const createFunctions = (scope: Construct, host: Host): PerFunction<LambdaFunction> =>
  Object.fromEntries(
    lambdas
      .filter(({ name }) => hasFunction(host.stage, name))
      .map((contract) => [contract.name, new ContractFunction(scope, contract, host)]),
  ) as PerFunction<LambdaFunction>;
