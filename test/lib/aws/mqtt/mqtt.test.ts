import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { certificate, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const mqttCertificateArn = certificate('c');
const { template, idOf } = stackOf({ stage: 'test-2', mqtt: true });
const off = stackOf({ stage: 'test-2' }).template;
const named = stackOf({ mqtt: 'true', mqttHost: 'mqtt.example.org', mqttCertificateArn }).template;
const arn = (name: string) => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] });
const ruleArn = Match.objectLike({
  'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp('rule/sensor_cloud_test_2_messages$')])],
});

describe('MQTT', () => {
  it('MQTT resources exist only in stages with the `mqtt` setting', () => {
    const count = (stack: Template) => Object.keys(stack.toJSON().Resources).length;
    expect(JSON.stringify(off.toJSON())).not.toContain('AWS::IoT::');
    const names = Object.values(off.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.FunctionName,
    );
    for (const name of ['authorizer', 'ingest']) expect(names).not.toContain(`Test-${name}`);
    expect(Object.keys(off.findResources('AWS::SQS::Queue')).filter((id) => id.startsWith('mqtt'))).toEqual([]);
    expect(count(template) - count(off)).toBeLessThanOrEqual(25);
    expect(count(template)).toBeLessThan(480);
    const rules = (stack: Template): string[] =>
      Object.values(stack.findResources('AWS::Lambda::Function'))
        .map(({ Properties }) => Properties.Environment.Variables.MQTT_RULE)
        .filter((name) => name !== undefined);
    expect(new Set(rules(off))).toEqual(new Set(['']));
    expect(new Set(rules(template))).toEqual(new Set(['sensor_cloud_test_2_messages']));
  });

  it('accepts only TLS connections that the authorizer allows, at an AWS host or a custom host', () => {
    template.hasResourceProperties('AWS::IoT::Authorizer', {
      AuthorizerFunctionArn: arn('authorizer'),
      SigningDisabled: true,
      Status: 'ACTIVE',
    });
    const names = [template, named].flatMap((stack) =>
      Object.values(stack.findResources('AWS::IoT::Authorizer')).map(({ Properties }) => Properties.AuthorizerName),
    );
    // The name is the same in every stage, so CloudFormation rejects a second authorizer in the same account and
    // region.
    expect(names).toEqual(['sensor-cloud', 'sensor-cloud']);
    const domain = {
      AuthorizerConfig: { AllowAuthorizerOverride: false, DefaultAuthorizerName: { Ref: 'mqttauthorizer' } },
      ApplicationProtocol: 'SECURE_MQTT',
      AuthenticationType: 'CUSTOM_AUTH',
      TlsConfig: { SecurityPolicy: 'IotSecurityPolicy_TLS13_1_2_2022_10' },
    };
    template.hasResourceProperties('AWS::IoT::DomainConfiguration', { ...domain, DomainName: Match.absent() });
    const own = { DomainName: 'mqtt.example.org', ServerCertificateArns: [mqttCertificateArn] };
    named.hasResourceProperties('AWS::IoT::DomainConfiguration', { ...domain, ...own });
    expect(() => stackOf({ mqttHost: 'mqtt.example.org' })).toThrow(
      'mqttHost and mqttCertificateArn require each other',
    );
  });

  it('forwards every device message unchanged, along with the sender', () => {
    template.hasResourceProperties('AWS::IoT::TopicRule', {
      RuleName: 'sensor_cloud_test_2_messages',
      TopicRulePayload: {
        AwsIotSqlVersion: '2016-03-23',
        Sql: Match.stringLikeRegexp(
          "^SELECT topic\\(3\\) AS sensorId, .*encode\\(\\*, 'base64'\\) AS payload FROM 'v1/devices/\\+/messages'$",
        ),
        Actions: [{ Lambda: { FunctionArn: arn('ingest') } }],
      },
    });
    for (const [name, SourceArn] of [
      ['ingest', ruleArn],
      ['authorizer', { 'Fn::GetAtt': ['mqttauthorizer', 'Arn'] }],
    ])
      template.hasResourceProperties('AWS::Lambda::Permission', {
        Action: 'lambda:InvokeFunction',
        Principal: 'iot.amazonaws.com',
        FunctionName: arn(String(name)),
        SourceArn,
      });
  });

  it('queues messages that the function did not receive or process', () => {
    template.hasResourceProperties('AWS::IoT::TopicRule', {
      TopicRulePayload: {
        ErrorAction: { Sqs: { QueueUrl: { Ref: idOf('mqtt-queue') }, RoleArn: arn('mqtt-failed-role') } },
      },
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp(': ingest$'),
      DeadLetterConfig: { TargetArn: arn('mqtt-queue') },
    });
    // By default, Lambda would silently retry for six hours.
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: idOf('ingest') },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 2,
    });
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Principal: { Service: 'iot.amazonaws.com' },
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
              ArnEquals: { 'aws:SourceArn': ruleArn },
            },
          }),
        ],
      },
      Policies: [
        Match.objectLike({
          PolicyDocument: Match.objectLike({
            Statement: [{ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: arn('mqtt-queue') }],
          }),
        }),
      ],
    });
  });

  it('an alarm fires when AWS IoT rejects devices or the rule fails', () => {
    const sums = Object.values(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties)
      .filter(({ Metrics = [] }: Properties) => JSON.stringify(Metrics).includes('AWS/IoT'));
    const metrics = sums.map(({ Metrics }) =>
      Metrics.flatMap(({ MetricStat }: Properties) => MetricStat?.Metric.MetricName ?? []),
    );
    expect(metrics).toEqual([
      expect.arrayContaining(['Connect.AuthError', 'Connect.Throttle']),
      expect.arrayContaining(['Failure', 'ErrorActionFailure']),
    ]);
    for (const { TreatMissingData } of sums) expect(TreatMissingData).toBe('notBreaching');
  });

  it('publishes the endpoint and the Basic Ingest topic as outputs', () => {
    expect(JSON.stringify(template.findOutputs('*'))).toContain(
      '"$aws/rules/sensor_cloud_test_2_messages/v1/devices/{sensorId}/messages"',
    );
    expect(template.findOutputs('MqttDomainConfiguration')).toMatchObject({
      MqttDomainConfiguration: { Value: { Ref: 'mqttdoor' } },
    });
  });
});
