import { describe, expect, it } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each test knows its part
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
/** The logical id of the version that an alias leads to: another id is another version. */
const versionOf = (context: Parameters<typeof stackOf>[0], name: string): string => {
  const synthesised = stackOf(context);
  const found = all('AWS::Lambda::Version', synthesised.template).find(
    ([, { FunctionName }]) => FunctionName.Ref === synthesised.idOf(name),
  );
  return found?.[0] ?? 'none';
};

describe('a stage with gradual deployments', () => {
  it('is each that is not for development, unless its settings say otherwise', () => {
    for (const context of [{}, { ...production, gradualDeployments: false }])
      for (const type of ['Lambda::Alias', 'Lambda::Version', 'CodeDeploy::Application', 'CodeDeploy::DeploymentGroup'])
        stackOf(context).template.resourceCountIs(`AWS::${type}`, 0);
    expect(all('AWS::Lambda::Alias')).toHaveLength(names.length);
  });

  it.each(names)('%s: is invoked by its alias alone, which leads to a version of it', (name) => {
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

  it('shifts a tenth of the invocations for 5 minutes, and goes back when an alarm rings or somebody stops it', () => {
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

  it('lets CodeDeploy move these aliases and look at these alarms, and nothing else', () => {
    const [[, { ServiceRoleArn }]] = all('AWS::CodeDeploy::DeploymentGroup') as [[string, Properties]];
    const { Properties } = template.toJSON().Resources[ServiceRoleArn['Fn::GetAtt'][0]];
    expect(Properties.ManagedPolicyArns).toBeUndefined();
    expect(JSON.stringify(Properties)).not.toContain('*');
    expect(Properties.AssumeRolePolicyDocument.Statement).toMatchObject([
      {
        Principal: { Service: 'codedeploy.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    const [moving, looking, ...more] = Properties.Policies[0].PolicyDocument.Statement;
    const arns = names.map((name) => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] }));
    expect(moving.Resource).toEqual(arns.flatMap((arn) => [arn, { 'Fn::Join': ['', [arn, ':live']] }]));
    expect([looking.Action, looking.Resource.length, more]).toEqual(['cloudwatch:DescribeAlarms', 3, []]);
    expect(all('AWS::IAM::Policy')).toEqual([]);
  });

  it('makes a new version when the environment of a function alone changes, and none when nothing of it does', () => {
    const before = names.map((name) => versionOf(production, name));
    const limited = names.map((name) => versionOf({ ...production, rateLimit: 7 }, name));
    expect(limited.map((version, at) => version === before[at])).toEqual([false, true, true]);
    const silent = { ...production, silenceMinutes: 30, concurrency: { devices: 200 } };
    expect(names.map((name) => versionOf(silent, name))).toEqual(before);
  });

  it('keeps mappings and routes where it is switched on or off, so that no queue is left alone meanwhile', () => {
    const other = stackOf({ ...production, gradualDeployments: false }).template;
    for (const type of [
      'AWS::Lambda::EventSourceMapping',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
    ])
      expect(all(type, other).map(([id]) => id)).toEqual(all(type).map(([id]) => id));
  });

  it.each([{}, { gradualDeployments: false }])('may invoke what its API leads to before it leads there: %j', (more) => {
    const { template } = stackOf({ ...production, ...more });
    const [integration] = Object.values(template.findResources('AWS::ApiGatewayV2::Integration'));
    const [permission = ''] = [integration?.DependsOn].flat();
    expect(template.toJSON().Resources[permission].Properties.FunctionName).toEqual(
      integration?.Properties.IntegrationUri,
    );
  });

  it('watches functions and not aliases: a metric of a function counts all of its versions', () => {
    for (const [, properties] of all('AWS::CloudWatch::Alarm')) {
      expect(JSON.stringify(properties)).not.toContain('"Resource"');
      for (const name of names) expect(JSON.stringify(properties)).not.toContain(`"${aliasOf(name)[0]}"`);
    }
  });
});
