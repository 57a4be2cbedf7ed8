import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationsOf } from '#lib/aws/api/operations.ts';
import { stageFrom } from '#lib/aws/settings/stage.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { certificate, production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const all = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const { template } = stackOf({ ...production, deviceApi: 'alb' });
const without = stackOf(production).template;

describe('the device load balancer', () => {
  it('the load balancer exists only with deviceApi=alb', () => {
    template.resourceCountIs('AWS::ElasticLoadBalancingV2::LoadBalancer', 1);
    without.resourceCountIs('AWS::ElasticLoadBalancingV2::LoadBalancer', 0);
    without.resourceCountIs('AWS::EC2::VPC', 0);
  });

  it('the load balancer leaves the rest of the stage unchanged', () => {
    const { Resources: after } = template.toJSON();
    const { Resources: before } = without.toJSON();
    const changed = Object.keys(before).filter((id) => JSON.stringify(before[id]) !== JSON.stringify(after[id]));
    // The error alarm and the dashboard cover both.
    expect(changed).toEqual([expect.stringMatching(/^alarmdevicedoor5xx/), expect.stringMatching(/^dashboard/)]);
    expect(template.findOutputs('DeviceBalancerTarget')).toMatchObject({
      DeviceBalancerTarget: { Value: { 'Fn::GetAtt': [expect.stringMatching(/^devicebalancer/), 'DNSName'] } },
    });
    expect(template.findOutputs('DeviceDomainTarget')).toEqual(without.findOutputs('DeviceDomainTarget'));
  });

  it('the load balancer accepts internet traffic only over TLS', () => {
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', { Scheme: 'internet-facing' });
    expect(all(template, 'AWS::ElasticLoadBalancingV2::Listener')).toMatchObject([
      { Port: 443, Protocol: 'HTTPS', Certificates: [{ CertificateArn: certificate('b') }] },
    ]);
    const [group] = all(template, 'AWS::EC2::SecurityGroup');
    expect(group.SecurityGroupIngress).toMatchObject([{ FromPort: 443, ToPort: 443, IpProtocol: 'tcp' }]);
    template.resourceCountIs('AWS::EC2::Subnet', 2);
    for (const type of ['AWS::EC2::NatGateway', 'AWS::EC2::EIP', 'Custom::VpcRestrictDefaultSG'])
      template.resourceCountIs(type, 0);
  });

  it('the load balancer passes all header values to the device function', () => {
    const [{ Targets, TargetGroupAttributes, TargetType }] = all(
      template,
      'AWS::ElasticLoadBalancingV2::TargetGroup',
    ) as [Properties];
    expect(TargetType).toBe('lambda');
    expect(TargetGroupAttributes).toEqual([{ Key: 'lambda.multi_value_headers.enabled', Value: 'true' }]);
    template.hasResourceProperties('AWS::Lambda::Permission', {
      FunctionName: Targets[0].Id,
      Principal: 'elasticloadbalancing.amazonaws.com',
      SourceAccount: { Ref: 'AWS::AccountId' },
    });
    // CloudFormation must create the permission before the target group.
    template.hasResource('AWS::ElasticLoadBalancingV2::TargetGroup', {
      DependsOn: [Match.stringLikeRegexp('^devicebalancerinvokesdevices')],
    });
  });

  it('the load balancer rejects large bodies and paths outside the device API', () => {
    const rules = all(template, 'AWS::ElasticLoadBalancingV2::ListenerRule').toSorted(
      (a, b) => a.Priority - b.Priority,
    );
    expect(rules.map(({ Actions: [{ Type }] }) => Type)).toEqual(['fixed-response', 'forward']);
    const [tooLarge, operations] = rules.map(({ Conditions }) => Conditions);
    const header = { HttpHeaderName: 'content-length', Values: ['???????*'] };
    expect(tooLarge).toEqual([{ Field: 'http-header', HttpHeaderConfig: header }]);
    const [{ PathPatternConfig }] = operations;
    const paths = operationsOf('devices').map(({ operation }) => BASE_PATH + operation.path);
    for (const path of paths)
      expect(PathPatternConfig.Values.some((pattern: string) => path.startsWith(pattern.replace('*', '')))).toBe(true);
    const [{ DefaultActions }] = all(template, 'AWS::ElasticLoadBalancingV2::Listener') as [Properties];
    const fixed = [DefaultActions[0], rules[0].Actions[0]].map(({ FixedResponseConfig }) => FixedResponseConfig);
    expect(fixed.map(({ MessageBody }) => JSON.parse(MessageBody))).toEqual([
      { statusCode: 404, message: expect.any(String) },
      { statusCode: 413, message: expect.any(String) },
    ]);
    expect(fixed.map(({ StatusCode, ContentType }) => [StatusCode, ContentType])).toEqual([
      ['404', 'application/json'],
      ['413', 'application/json'],
    ]);
  });

  it("the load balancer shares the device API's error alarm", () => {
    const [alarm] = all(template, 'AWS::CloudWatch::Alarm').filter(({ AlarmDescription }) =>
      AlarmDescription.startsWith('The device API is failing'),
    ) as [Properties];
    const counted = alarm.Metrics.flatMap(({ MetricStat }: Properties) => MetricStat?.Metric.MetricName ?? []);
    expect(counted).toEqual(['5xx', 'HTTPCode_ELB_5XX_Count', 'HTTPCode_Target_5XX_Count']);
  });

  it('the load balancer requires a certificate', () => {
    const { deviceCertificateArn: _, ...values } = production;
    const context: Record<string, unknown> = { ...values, deviceApi: 'alb' };
    expect(() => stageFrom((key) => context[key])).toThrow('deviceCertificateArn: required with deviceApi=alb');
  });

  it('deviceApi=alb cannot be combined with an access log', () => {
    const context: Record<string, unknown> = { ...production, deviceApi: 'alb', deviceAccessLog: true };
    expect(() => stageFrom((key) => context[key])).toThrow('deviceAccessLog: not possible with deviceApi=alb');
  });
});
