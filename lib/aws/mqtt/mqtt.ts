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
 * Creates the endpoint for devices, with an authorizer. It accepts only MQTT over TLS 1.2 or 1.3. A host name assigned
 * by AWS can be deleted only 7 days after being disabled, and the stack cannot be deleted before then.
 * https://docs.aws.amazon.com/iot/latest/developerguide/iot-custom-endpoints-managing.html
 */
const createDomainConfiguration = (
  scope: Construct,
  stage: Stage,
  { authorizer }: Functions,
): CfnDomainConfiguration => {
  const { serviceName, name, mqttHost, mqttCertificateArn } = stage;
  const customAuthorizer = new CfnAuthorizer(scope, 'mqtt-authorizer', {
    // The name is the same in every stage, so that a second stage with MQTT cannot be deployed. An account has one
    // broker per region, so a device in one stage could take the client id and read the topics of a device with the
    // same id in the other stage.
    authorizerName: 'sensor-cloud',
    authorizerFunctionArn: authorizer.functionArn,
    status: 'ACTIVE',
    // Devices have no key to sign their token with, and do not need one: the token cannot be guessed.
    signingDisabled: true,
  });
  authorizer.addPermission('iot', { principal: iot, sourceArn: customAuthorizer.attrArn });
  // The id keeps an old name for the endpoint: with a new id, a deployment would replace the endpoint.
  return new CfnDomainConfiguration(scope, 'mqtt-door', {
    authorizerConfig: { defaultAuthorizerName: customAuthorizer.ref, allowAuthorizerOverride: false },
    applicationProtocol: 'SECURE_MQTT',
    authenticationType: 'CUSTOM_AUTH',
    serviceType: 'DATA',
    ...(mqttHost !== '' && { domainName: mqttHost, serverCertificateArns: [mqttCertificateArn] }),
    tlsConfig: { securityPolicy: 'IotSecurityPolicy_TLS13_1_2_2022_10' },
    tags: [{ key: 'service', value: `${serviceName} ${name}` }],
  });
};

/** Creates the role AWS IoT uses to queue messages that it failed to pass on. Only this rule may assume the role. */
const createErrorRole = (scope: Construct, mqtt: DurableQueue, ruleArn: string): Role =>
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
 * Selects every device message, whatever bytes it contains: a SELECT that contains only functions does not parse the
 * payload as JSON. https://docs.aws.amazon.com/iot/latest/developerguide/binary-payloads.html
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
      errorAction: { sqs: { queueUrl: mqtt.queueUrl, roleArn: createErrorRole(scope, mqtt, ruleArn).roleArn } },
    },
  });
  ingest.addPermission('iot', { principal: iot, sourceArn: ruleArn });
  // The function is invoked asynchronously. By default, Lambda retries a throttled event for 6 hours without reporting
  // it. After a minute, or three attempts, the message goes to the dead-letter queue, which the rule's error action
  // also uses.
  // The CDK property would grant the permission again in a separate policy.
  ingest.configureAsyncInvoke({ maxEventAge: Duration.seconds(60), retryAttempts: 2 });
  (ingest.node.defaultChild as CfnFunction).deadLetterConfig = { targetArn: mqtt.queueArn };
};

/** Connects devices over MQTT through AWS IoT Core: creates the endpoint and the rule that forwards device messages. */
export const createMqtt = (scope: Construct, stage: Stage, functions: Functions, mqtt: DurableQueue): void => {
  const ruleName = ruleNameOf(stage);
  const domain = createDomainConfiguration(scope, stage, functions);
  createRule(scope, ruleName, functions, mqtt);
  // To see a host assigned by AWS: aws iot describe-domain-configuration --domain-configuration-name ...
  new CfnOutput(scope, 'MqttDomainConfiguration', { value: domain.ref });
  new CfnOutput(scope, 'MqttBasicIngest', { value: basicIngest(ruleName) + topicsOf('{sensorId}').messages });
};
