import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
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
import type { Bundle } from './bundle.ts';
import { reservedFor } from './concurrency.ts';
import { functionNameOf } from './function-name.ts';
import { acknowledgeTopics, environmentOf, pollingOf, type Resources, statementsOf } from './grants.ts';
import { type LambdaName, lambdas } from './lambdas.ts';
import { endpointsOf } from './local-stage.ts';
import type { Stage } from './settings.ts';
import type { Variables } from './variables.ts';

/**
 * MB. A Lambda's share of a CPU grows with its memory, up to a whole one at 1,769.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const memory: Partial<Record<LambdaName, number>> = {
  // argon2id leaves no pauses to share a CPU in.
  auth: 1_769,
  users: 1_769,
  // Once a minute, and nobody waits for it.
  sweep: 512,
};
const OTHERWISE = 1_024;

/** Lines of JSON, ours as they are. Of Lambda's own only those that tell of trouble: three for each invocation cost more. */
const LOGGING = {
  loggingFormat: LoggingFormat.JSON,
  applicationLogLevelV2: ApplicationLogLevel.INFO,
  systemLogLevelV2: SystemLogLevel.WARN,
};

type Contract = (typeof lambdas)[number];
type Host = Resources & { stage: Stage; bundles: Readonly<Record<LambdaName, Bundle>>; variables: Variables };

/** Its own log group, and a role that may write there and do what the contract `uses`: no managed policy, no `*`. */
const identityOf = (scope: Construct, contract: Contract, { stage, ...resources }: Host) => {
  const { name, uses } = contract;
  const logGroup = new LogGroup(scope, `${name}-logs`, {
    retention: stage.logRetentionDays,
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  const logging = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const polling = 'queues' in contract ? [pollingOf(contract, resources.queues)] : [];
  const statements = [logging, ...statementsOf(uses, resources), ...polling];
  const role = new Role(scope, `${name}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { rights: new PolicyDocument({ statements }) },
  });
  acknowledgeTopics(role, uses);
  return { logGroup, role };
};

/**
 * Lambda stops what invokes itself over a queue more than 16 times, as a runaway. A function that puts tasks on
 * its own queue does that on purpose: its attempts are counted, and they end.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const loopOf = (contract: Contract): RecursiveLoop =>
  'queues' in contract && contract.queues.some((queue) => contract.uses.some((one) => one === `enqueue:${queue}`))
    ? RecursiveLoop.ALLOW
    : RecursiveLoop.TERMINATE;

/** Zero would stop the function. */
const reservationOf = (name: LambdaName, { concurrency }: Stage) => {
  const reservedConcurrentExecutions = reservedFor(name, concurrency);
  return reservedConcurrentExecutions > 0 ? { reservedConcurrentExecutions } : {};
};

const createFunction = (scope: Construct, contract: Contract, host: Host): LambdaFunction => {
  const { name, timeoutSeconds, uses } = contract;
  const lambda = new LambdaFunction(scope, name, {
    ...identityOf(scope, contract, host),
    functionName: functionNameOf(Stack.of(scope), name),
    description: `${host.stage.serviceName}, ${host.stage.name}: ${name}`,
    // Not the latest, whichever that is: the bundles are made for this one.
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'handler.handler',
    code: Code.fromAsset(host.bundles[name].folder),
    // Stacks name our lines: 10 to 20 ms and 6 MB more at a cold start.
    environment: {
      ...environmentOf(uses, host.variables),
      ...endpointsOf(host.stage),
      NODE_OPTIONS: '--enable-source-maps',
    },
    memorySize: memory[name] ?? OTHERWISE,
    ...LOGGING,
    timeout: Duration.seconds(timeoutSeconds),
    ...reservationOf(name, host.stage),
    recursiveLoop: loopOf(contract),
    // X-Ray's rights know no resource but `*`, and the request id in each log line ties a request together already.
    tracing: Tracing.DISABLED,
  });
  // The CDK has it wait for its role, in which all rights are; that it names the role says so already.
  (lambda.node.defaultChild as CfnFunction).addDeletionOverride('DependsOn');
  return lambda;
};

/** A function for each contract. */
export const createFunctions = (scope: Construct, host: Host): Record<LambdaName, LambdaFunction> =>
  Object.fromEntries(lambdas.map((contract) => [contract.name, createFunction(scope, contract, host)])) as Record<
    LambdaName,
    LambdaFunction
  >;
