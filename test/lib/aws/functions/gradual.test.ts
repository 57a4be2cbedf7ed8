import { describe, expect, it } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const names = ['devices', 'process', 'deliver'];
const { template, idOf } = stackOf(production);
const all = (type: string, of = template): [string, Properties][] =>
  Object.entries(of.findResources(type)).map(([id, { Properties }]) => [id, Properties]);
const aliasOf = (name: string): [string, Properties] => {
  const found = all('AWS::Lambda::Alias').find(([, { FunctionName }]) => FunctionName.Ref === idOf(name));
  if (!found) throw new Error(`${name} has no alias`);
  return found;
};
/** Returns the logical id of a function's version. New versions have new ids. */
const versionOf = (context: Parameters<typeof stackOf>[0], name: string): string => {
  const synthesised = stackOf(context);
  const found = all('AWS::Lambda::Version', synthesised.template).find(
    ([, { FunctionName }]) => FunctionName.Ref === synthesised.idOf(name),
  );
  return found?.[0] ?? 'none';
};

describe('gradual deployments', () => {
  it('gradual deployments are on by default in production and can be disabled', () => {
    for (const context of [{}, { ...production, gradualDeployments: false }])
      for (const type of ['Lambda::Alias', 'Lambda::Version', 'CodeDeploy::Application', 'CodeDeploy::DeploymentGroup'])
        stackOf(context).template.resourceCountIs(`AWS::${type}`, 0);
    expect(all('AWS::Lambda::Alias')).toHaveLength(names.length);
  });

  it.each(names)('%s is invoked only through an alias, which points to a version', (name) => {
    const [alias, { FunctionVersion, Name }] = aliasOf(name);
    const [version] = FunctionVersion['Fn::GetAtt'];
    expect([Name, template.toJSON().Resources[version].Properties.FunctionName]).toEqual(['live', { Ref: idOf(name) }]);
    const invoking = [
      ...all('AWS::ApiGatewayV2::Integration').map(([, { IntegrationUri }]) => IntegrationUri),
      ...all('AWS::Lambda::EventSourceMapping').map(([, { FunctionName }]) => FunctionName),
      ...all('AWS::Lambda::Permission').map(([, { FunctionName }]) => FunctionName),
    ].map((resource) => JSON.stringify(resource));
    expect(invoking.filter((json) => json.includes(`"${alias}"`)).length).toBeGreaterThan(0);
    expect(invoking.filter((json) => json.includes(`"${idOf(name)}"`))).toEqual([]);
  });

  it('a deployment shifts a tenth of invocations for 5 minutes, and rolls back on an alarm or manual stop', () => {
    const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
    const idOfAlarm = (id: string) =>
      alarms.find(([, { Properties }]) => Properties.AlarmDescription.endsWith(`#${id}`))?.[0];
    const Alarms = ['tasks-failing', 'falls-late', 'workers-failing'].map((id) => ({ Name: { Ref: idOfAlarm(id) } }));
    const groups = names.map((name) => {
      const { UpdatePolicy } = template.toJSON().Resources[aliasOf(name)[0]];
      const { ApplicationName, DeploymentGroupName } = UpdatePolicy.CodeDeployLambdaAliasUpdate;
      const { Properties } = template.toJSON().Resources[DeploymentGroupName.Ref];
      expect(Properties.ApplicationName).toEqual(ApplicationName);
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: { Enabled: true, Alarms },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      });
      return DeploymentGroupName.Ref;
    });
    expect(new Set(groups).size).toBe(names.length);
  });

  it('CodeDeploy may only shift these aliases and read these alarms', () => {
    const [[, { ServiceRoleArn }]] = all('AWS::CodeDeploy::DeploymentGroup') as [[string, Properties]];
    const { Properties } = template.toJSON().Resources[ServiceRoleArn['Fn::GetAtt'][0]];
    expect(Properties.ManagedPolicyArns).toBeUndefined();
    expect(JSON.stringify(Properties)).not.toContain('*');
    expect(Properties.AssumeRolePolicyDocument.Statement).toMatchObject([
      {
        Principal: { Service: 'codedeploy.amazonaws.com' },
      },
    ]);
    const [shifting, reading, ...more] = Properties.Policies[0].PolicyDocument.Statement;
    const arns = names.map((name) => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] }));
    expect(shifting.Resource).toEqual(arns.flatMap((arn) => [arn, { 'Fn::Join': ['', [arn, ':live']] }]));
    expect([reading.Action, reading.Resource.length, more]).toEqual(['cloudwatch:DescribeAlarms', 3, []]);
    expect(all('AWS::IAM::Policy')).toEqual([]);
  });

  it('a new version is published only for functions with changed code or environment', () => {
    const before = names.map((name) => versionOf(production, name));
    const limited = names.map((name) => versionOf({ ...production, rateLimit: 7 }, name));
    expect(limited.map((version, at) => version === before[at])).toEqual([false, true, true]);
    const unrelated = { ...production, silenceMinutes: 30, concurrency: { devices: 200 } };
    expect(names.map((name) => versionOf(unrelated, name))).toEqual(before);
  });

  it('toggling gradual deployments keeps event source mappings and routes', () => {
    const other = stackOf({ ...production, gradualDeployments: false }).template;
    for (const type of [
      'AWS::Lambda::EventSourceMapping',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
    ])
      expect(all(type, other).map(([id]) => id)).toEqual(all(type).map(([id]) => id));
  });

  it.each([{}, { gradualDeployments: false }])(
    'permission for the API to invoke a function is created before the integration: %j',
    (more) => {
      const { template } = stackOf({ ...production, ...more });
      const [integration] = Object.values(template.findResources('AWS::ApiGatewayV2::Integration'));
      const [permission = ''] = [integration?.DependsOn].flat();
      expect(template.toJSON().Resources[permission].Properties.FunctionName).toEqual(
        integration?.Properties.IntegrationUri,
      );
    },
  );

  it('alarms watch functions instead of aliases, because function metrics cover all versions', () => {
    for (const [, properties] of all('AWS::CloudWatch::Alarm')) {
      expect(JSON.stringify(properties)).not.toContain('"Resource"');
      for (const name of names) expect(JSON.stringify(properties)).not.toContain(`"${aliasOf(name)[0]}"`);
    }
  });
});
