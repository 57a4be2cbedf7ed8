import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAuthorizer, CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ALL_MESSAGES, basicIngest, topicsOf } from '#shared/ingest/topics.ts';
import type { DurableQueue } from '../queues/queues.ts';
import type { Stage } from '../settings/settings.ts';
import { ruleNameOf } from './mqtt-names.ts';

type Functions = Readonly<Record<'authorizer' | 'ingest', LambdaFunction>>;

const iot = new ServicePrincipal('iot.amazonaws.com');

/**
 * Creates the address that devices connect to, with the authorizer that decides whether they may. It speaks only MQTT
 * over TLS 1.2 or 1.3. A host name given by AWS can be deleted only after it was disabled for 7 days; until then the
 * stack cannot be deleted.
 * https://docs.aws.amazon.com/iot/latest/developerguide/iot-custom-endpoints-managing.html
 */
const createDomainConfiguration = (
  scope: Construct,
  stage: Stage,
  { authorizer }: Functions,
): CfnDomainConfiguration => {
  const { serviceName, name, mqttHost, mqttCertificateArn } = stage;
  const asked = new CfnAuthorizer(scope, 'mqtt-authorizer', {
    // Not of the stage, so that a second one with MQTT cannot be deployed beside it: AWS IoT has one broker for an account
    // and region, and a device of that one would take the client id, and hear the topics, of the same device here.
    authorizerName: 'sensor-cloud',
    authorizerFunctionArn: authorizer.functionArn,
    status: 'ACTIVE',
    // A device has no key to sign its token with, and needs none, because the token itself cannot be guessed.
    signingDisabled: true,
  });
  authorizer.addPermission('iot', { principal: iot, sourceArn: asked.attrArn });
  // Its id is an earlier word: with another id, a deployment would create another endpoint.
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

/**
 * The role with which AWS IoT stores messages that it could not hand over in their queue. Only this rule may use it.
 */
const keeperOf = (scope: Construct, mqtt: DurableQueue, ruleArn: string): Role =>
  new Role(scope, 'mqtt-failed-role', {
    assumedBy: iot.withConditions({
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
      ArnEquals: { 'aws:SourceArn': ruleArn },
    }),
    inlinePolicies: {
      rights: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [mqtt.queueArn] })],
      }),
    },
  });

/**
 * Selects every message of a device, whatever its bytes: the SELECT has only functions, so the payload need not be
 * JSON.
 * https://docs.aws.amazon.com/iot/latest/developerguide/binary-payloads.html
 */
const SQL =
  'SELECT topic(3) AS sensorId, principal() AS principal, timestamp() AS receiveDate, ' +
  `encode(*, 'base64') AS payload FROM '${ALL_MESSAGES}'`;

const createRule = (scope: Construct, ruleName: string, { ingest }: Functions, mqtt: DurableQueue): void => {
  const ruleArn = Stack.of(scope).formatArn({ service: 'iot', resource: 'rule', resourceName: ruleName });
  new CfnTopicRule(scope, 'mqtt-rule', {
    ruleName,
    topicRulePayload: {
      awsIotSqlVersion: '2016-03-23',
      sql: SQL,
      actions: [{ lambda: { functionArn: ingest.functionArn } }],
      errorAction: { sqs: { queueUrl: mqtt.queueUrl, roleArn: keeperOf(scope, mqtt, ruleArn).roleArn } },
    },
  });
  ingest.addPermission('iot', { principal: iot, sourceArn: ruleArn });
  // The function is called asynchronously. Where it is refused starts, AWS would try for 6 hours by itself, unseen: after a
  // minute, or three attempts, the message goes to the dead-letter queue, which is the queue of the rule's error action.
  // The property of the CDK would add the right a second time, as a policy of its own.
  ingest.configureAsyncInvoke({ maxEventAge: Duration.seconds(60), retryAttempts: 2 });
  (ingest.node.defaultChild as CfnFunction).deadLetterConfig = { targetArn: mqtt.queueArn };
};

/** Creates MQTT for devices with AWS IoT Core: the endpoint, and the rule that passes on their messages. */
export const createMqtt = (scope: Construct, stage: Stage, functions: Functions, mqtt: DurableQueue): void => {
  const ruleName = ruleNameOf(stage);
  const domain = createDomainConfiguration(scope, stage, functions);
  createRule(scope, ruleName, functions, mqtt);
  // The command for a host that AWS named is: aws iot describe-domain-configuration --domain-configuration-name ...
  new CfnOutput(scope, 'MqttDomainConfiguration', { value: domain.ref });
  new CfnOutput(scope, 'MqttBasicIngest', { value: basicIngest(ruleName) + topicsOf('{sensorId}').messages });
};
