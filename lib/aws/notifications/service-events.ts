import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSetEventDestination, CfnConfigurationSet as MailConfigurationSet } from 'aws-cdk-lib/aws-ses';
import { CfnConfigurationSet as SmsConfigurationSet } from 'aws-cdk-lib/aws-smsvoice';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { undeliverableMail, undeliverableSms } from '#shared/queue/undeliverable.ts';
import type { DurableQueue } from '../queues/queues.ts';
import type { Stage } from '../settings/settings.ts';

/** A configuration set. The service reports the outcome of every notification sent through it. */
export type ConfigurationSet = { name: string; arn: string };
/** The configuration sets in a stage; null for a service the stage does not use. */
export type ConfigurationSets = { mail: ConfigurationSet | null; sms: ConfigurationSet | null };

/**
 * Returns the configuration sets for a stage. They are named after the stack, so that policies can contain their ARNs
 * before they exist.
 */
export const configurationSets = (scope: Construct, { mailSender, smsOrigin }: Stage): ConfigurationSets => {
  const stack = Stack.of(scope);
  const setOf = (service: 'ses' | 'sms-voice'): ConfigurationSet => ({
    name: stack.stackName,
    arn: stack.formatArn({ service, resource: 'configuration-set', resourceName: stack.stackName }),
  });
  return { mail: mailSender === '' ? null : setOf('ses'), sms: smsOrigin === '' ? null : setOf('sms-voice') };
};

/**
 * Allows a service to publish events from a configuration set to the topic.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-sns-creating-role.html
 */
const allowPublish = (topic: Topic, service: string, { arn }: ConfigurationSet): void => {
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(service)],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': Stack.of(topic).account },
        ArnLike: { 'aws:SourceArn': arn },
      },
    }),
  );
};

const createMailSet = (scope: Construct, topic: Topic, set: ConfigurationSet): void => {
  allowPublish(topic, 'ses.amazonaws.com', set);
  const { ref: configurationSetName } = new MailConfigurationSet(scope, 'mail-events', { name: set.name });
  const destination = new CfnConfigurationSetEventDestination(scope, 'mail-events-destination', {
    configurationSetName,
    eventDestination: {
      enabled: true,
      name: 'undeliverable',
      matchingEventTypes: [...undeliverableMail],
      snsDestination: { topicArn: topic.topicArn },
    },
  });
  // SES publishes to the topic when the destination is created, so the topic policy must already exist.
  destination.node.addDependency(topic.node.findChild('Policy'));
};

const createSmsSet = (scope: Construct, topic: Topic, set: ConfigurationSet): void => {
  allowPublish(topic, 'sms-voice.amazonaws.com', set);
  const created = new SmsConfigurationSet(scope, 'sms-events', {
    configurationSetName: set.name,
    eventDestinations: [
      {
        enabled: true,
        eventDestinationName: 'undeliverable',
        matchingEventTypes: [...undeliverableSms],
        snsDestination: { topicArn: topic.topicArn },
      },
    ],
  });
  created.node.addDependency(topic.node.findChild('Policy'));
};

/**
 * Lets SES and AWS End User Messaging use the `undeliverable` queue to report notifications that did not reach their
 * recipients. Only failures are reported, so delivered messages cost nothing extra.
 */
export const createServiceEvents = (scope: Construct, { mail, sms }: ConfigurationSets, queue: DurableQueue): void => {
  const topic = new Topic(scope, 'undeliverable-topic', { enforceSSL: true });
  topic.addSubscription(new SqsSubscription(queue));
  if (mail) createMailSet(scope, topic, mail);
  if (sms) createSmsSet(scope, topic, sms);
};
