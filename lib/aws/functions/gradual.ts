import { Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { type ForFunctions, functionIn, type LambdaName } from './lambdas.ts';

/** The functions that every fall passes through. */
const GRADUAL = ['devices', 'process', 'deliver'] as const satisfies readonly LambdaName[];
/** The alarms that make a deployment go back, by their ids in watches.ts. */
const STOPPING = ['falls-late', 'tasks-failing', 'workers-failing'];
const ALIAS = 'live';

/**
 * What APIs and queues invoke: each function itself, or, in a stage with gradual deployments, the aliases of those that
 * falls pass through. A change of code or configuration makes a version. The one before is deleted when the deployment
 * is over: kept ones would stop a second attempt to deploy the same code, which Lambda gives no new version.
 */
export const invokedIn = ({ gradualDeployments }: Stage, functions: ForFunctions<LambdaFunction>) => {
  if (!gradualDeployments) return functions as ForFunctions<IFunction>;
  const aliases = GRADUAL.map((name) => {
    const lambda = functionIn(functions, name);
    return [name, new Alias(lambda, ALIAS, { aliasName: ALIAS, version: lambda.currentVersion as IVersion })];
  });
  return { ...functions, ...Object.fromEntries(aliases) } as ForFunctions<IFunction>;
};

/**
 * The role with which CodeDeploy moves the aliases and looks at the alarms, for this account alone. Aliases are named and
 * not referred to, because each waits for its deployment group.
 */
const createRole = (scope: Construct, functions: ForFunctions<LambdaFunction>, alarms: readonly Alarm[]): Role => {
  const arns = GRADUAL.map((name) => functionIn(functions, name).functionArn);
  const moving = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
    resources: arns.flatMap((arn) => [arn, `${arn}:${ALIAS}`]),
  });
  const looking = new PolicyStatement({
    actions: ['cloudwatch:DescribeAlarms'],
    resources: alarms.map(({ alarmArn }) => alarmArn),
  });
  return new Role(scope, 'deployments-role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com').withConditions({
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
    }),
    inlinePolicies: { rights: new PolicyDocument({ statements: [moving, looking] }) },
  });
};

/**
 * Has CodeDeploy move the aliases: a tenth of the invocations for 5 minutes, then all. When one of the alarms rings
 * meanwhile, or somebody stops it, it moves them back, and CloudFormation does so with the whole stack.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-updatepolicy.html
 */
export const shiftGradually = (
  scope: Construct,
  functions: ForFunctions<LambdaFunction>,
  invoked: ForFunctions<IFunction>,
  all: readonly Alarm[],
): void => {
  const alarms = all.filter(({ node }) => STOPPING.some((id) => node.id === `alarm-${id}`));
  const role = createRole(scope, functions, alarms);
  const application = new LambdaApplication(scope, 'deployments');
  for (const name of GRADUAL) {
    const alias = functionIn(invoked, name);
    if (!(alias instanceof Alias)) throw new Error(`${name} has no alias`);
    new LambdaDeploymentGroup(scope, `${name}-deployment`, {
      application,
      alias,
      alarms,
      // Without this the CDK would give the role a managed policy.
      role: role.withoutPolicyUpdates(),
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { stoppedDeployment: true },
    });
  }
};
