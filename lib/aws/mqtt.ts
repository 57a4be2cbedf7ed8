import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer, CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ALL_MESSAGES, basicIngest, topicsOf } from '../../shared/ingest/topics.ts';
import { ruleNameOf } from './mqtt-names.ts';
import type { Queues } from './queues.ts';
import type { Stage } from './settings.ts';

type Functions = Readonly<Record<'authorizer' | 'ingest', LambdaFunction>>;

const iot = new ServicePrincipal('iot.amazonaws.com');

/**
 * The address that devices connect to, and who says whether they may. It speaks MQTT over TLS 1.2 or 1.3 alone. A name
 * that AWS gave it can be deleted only once it was disabled for 7 days; until then the stack cannot be.
 * https://docs.aws.amazon.com/iot/latest/developerguide/iot-custom-endpoints-managing.html
 */
const createDoor = (scope: Construct, stage: Stage, { authorizer }: Functions): CfnDomainConfiguration => {
  const { serviceName, name, mqttHost, mqttCertificateArn } = stage;
  const asked = new CfnAuthorizer(scope, 'mqtt-authorizer', {
    authorizerFunctionArn: authorizer.functionArn,
    status: 'ACTIVE',
    // A device has its token and nothing to sign it with: the token itself cannot be guessed.
    signingDisabled: true,
  });
  authorizer.addPermission('iot', { principal: iot, sourceArn: asked.attrArn });
  return new CfnDomainConfiguration(scope, 'mqtt-door', {
    authorizerConfig: { defaultAuthorizerName: asked.ref, allowAuthorizerOverride: false },
    applicationProtocol: 'SECURE_MQTT',
    authenticationType: 'CUSTOM_AUTH',
    serviceType: 'DATA',
    ...(mqttHost !== '' && { domainName: mqttHost, serverCertificateArns: [mqttCertificateArn] }),
    tlsConfig: { securityPolicy: 'IotSecurityPolicy_TLS13_1_2_2022_10' },
    tags: [{ key: 'service', value: `${serviceName} ${name}` }],
  });
};

/** What AWS IoT may do with what it could not hand over: keep it in its queue, for this rule alone. */
const keeperOf = (scope: Construct, { mqtt }: Queues, ruleArn: string): Role =>
  new Role(scope, 'mqtt-failed-role', {
    assumedBy: iot.withConditions({
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
      ArnEquals: { 'aws:SourceArn': ruleArn },
    }),
    inlinePolicies: {
      rights: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [mqtt.queue.queueArn] })],
      }),
    },
  });

/**
 * All that a device may have published, whatever its bytes: only functions stand in the SELECT, so it need be no JSON.
 * https://docs.aws.amazon.com/iot/latest/developerguide/binary-payloads.html
 */
const SQL =
  'SELECT topic(3) AS sensorId, principal() AS principal, timestamp() AS receiveDate, ' +
  `encode(*, 'base64') AS payload FROM '${ALL_MESSAGES}'`;

const createRule = (scope: Construct, ruleName: string, { ingest }: Functions, queues: Queues): void => {
  const ruleArn = Stack.of(scope).formatArn({ service: 'iot', resource: 'rule', resourceName: ruleName });
  const { mqtt } = queues;
  new CfnTopicRule(scope, 'mqtt-rule', {
    ruleName,
    topicRulePayload: {
      awsIotSqlVersion: '2016-03-23',
      sql: SQL,
      actions: [{ lambda: { functionArn: ingest.functionArn } }],
      errorAction: { sqs: { queueUrl: mqtt.queue.queueUrl, roleArn: keeperOf(scope, queues, ruleArn).roleArn } },
    },
  });
  ingest.addPermission('iot', { principal: iot, sourceArn: ruleArn });
  // The function is called asynchronously: what it fails at three times over minutes goes the way of the error action.
  // CDK's own property would give the right a second time, by a policy of its own.
  (ingest.node.defaultChild as CfnFunction).deadLetterConfig = { targetArn: mqtt.queue.queueArn };
};

/** MQTT for devices, by AWS IoT Core: a door, and the rule by which messages come in. */
export const createMqtt = (scope: Construct, stage: Stage, functions: Functions, queues: Queues): void => {
  const ruleName = ruleNameOf(stage);
  const door = createDoor(scope, stage, functions);
  createRule(scope, ruleName, functions, queues);
  // A host that AWS named tells: aws iot describe-domain-configuration --domain-configuration-name ...
  new CfnOutput(scope, 'MqttDomainConfiguration', { value: door.ref });
  new CfnOutput(scope, 'MqttBasicIngest', { value: basicIngest(ruleName) + topicsOf('{sensorId}').messages });
};
