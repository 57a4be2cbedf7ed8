import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { type LambdaName, type PerFunction, valueForFunction } from './lambdas.ts';

/** The functions every fall passes through, which are deployed gradually. */
const GRADUAL = ['devices', 'process', 'deliver'] as const satisfies readonly LambdaName[];

/** The ids of the alarms that roll back a deployment. */
const ROLLBACK_ALARMS = ['falls-late', 'tasks-failing', 'workers-failing'];
const ALIAS = 'live';

/**
 * Returns what APIs and queues invoke: the functions or, in a stage with gradual deployments, aliases for the functions
 * every fall passes through. Each code or configuration change publishes a version, and the deployment deletes the
 * previous one. If it were kept, a second attempt to deploy the same code would fail, because Lambda does not publish a
 * new version of unchanged code.
 */
export const invocationTargets = ({ gradualDeployments }: Stage, functions: PerFunction<LambdaFunction>) => {
  if (!gradualDeployments) return functions as PerFunction<IFunction>;
  const aliases = GRADUAL.map((name) => {
    const lambda = valueForFunction(functions, name);
    return [name, new Alias(lambda, ALIAS, { aliasName: ALIAS, version: lambda.currentVersion as IVersion })];
  });
  return { ...functions, ...Object.fromEntries(aliases) } as PerFunction<IFunction>;
};

/**
 * Creates the role CodeDeploy uses to shift the aliases and read this account's alarms. The role contains the alias
 * names instead of references to the aliases, because each alias depends on a deployment group.
 */
const createRole = (scope: Construct, functions: PerFunction<LambdaFunction>, alarms: readonly Alarm[]): Role => {
  const arns = GRADUAL.map((name) => valueForFunction(functions, name).functionArn);
  const shiftAliases = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
    resources: arns.flatMap((arn) => [arn, `${arn}:${ALIAS}`]),
  });
  const readAlarms = new PolicyStatement({
    actions: ['cloudwatch:DescribeAlarms'],
    resources: alarms.map(({ alarmArn }) => alarmArn),
  });
  return new Role(scope, 'deployments-role', {
    // There is no condition on the account: AWS does not document that CodeDeploy sends the account when creating a
    // deployment group, and only principals in this account can pass the role to CodeDeploy.
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { rights: new PolicyDocument({ statements: [shiftAliases, readAlarms] }) },
  });
};

/**
 * Lets CodeDeploy shift the aliases: a tenth of the invocations for 5 minutes, then all. If one of the alarms fires
 * during that time, or someone stops the deployment, CodeDeploy shifts them back and CloudFormation rolls back the
 * whole stack. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-updatepolicy.html
 */
export const createGradualDeployments = (
  scope: Construct,
  functions: PerFunction<LambdaFunction>,
  invoked: PerFunction<IFunction>,
  allAlarms: readonly Alarm[],
): void => {
  const alarms = allAlarms.filter(({ node }) => ROLLBACK_ALARMS.some((id) => node.id === `alarm-${id}`));
  const role = createRole(scope, functions, alarms);
  const application = new LambdaApplication(scope, 'deployments');
  for (const name of GRADUAL) {
    const alias = valueForFunction(invoked, name);
    if (!(alias instanceof Alias)) throw new Error(`${name} has no alias`);
    new LambdaDeploymentGroup(scope, `${name}-deployment`, {
      application,
      alias,
      alarms,
      // Otherwise the CDK would attach a managed policy.
      role: role.withoutPolicyUpdates(),
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { stoppedDeployment: true },
    });
  }
};
