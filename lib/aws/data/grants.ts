import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { topicsOf } from '#shared/ingest/topics.ts';
import type { Consumer } from '#shared/queue/consumer.ts';
import type { QueueName } from '#shared/queue/names.ts';
import {
  capabilityOf,
  type deviceTopics,
  isCapability,
  isStoreCall,
  isTopic,
  type Topic,
  type Use,
} from '#shared/runtime/capabilities.ts';
import { variablesOf } from '#shared/settings/environment.ts';
import { acknowledge } from '../acknowledged.ts';
import { type Queues, queueArnOf, taskQueues } from '../queues/queues.ts';
import { tableStatements } from './table-grants.ts';

/**
 * The stack resources. `senders` and `smsOrigins` are the ARNs of the identities used to send email and SMS, and
 * `mailSender` is the only address used to send email.
 */
export type Resources = {
  table: ITable;
  queues: Queues;
  key: IKey;
  alarmTopic: ITopic | null;
  exports: Bucket;
  senders: readonly string[];
  mailSender: string;
  smsOrigins: readonly string[];
};

/**
 * CloudWatch lists alarms by state only for callers allowed to read all alarms in the account and region.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
const alarmStatesArn = (stack: Stack): string =>
  stack.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

const arnOf = (
  resource: QueueName | 'key' | 'alarms' | 'alarm states' | 'exports',
  { queues, key, alarmTopic, exports }: Resources,
): string => {
  if (resource === 'key') return key.keyArn;
  if (resource === 'exports') return exports.arnForObjects('*');
  if (resource === 'alarm states') return alarmStatesArn(Stack.of(queues.events));
  if (resource !== 'alarms') return queueArnOf(queues, resource);
  return alarmTopic?.topicArn ?? '';
};

/**
 * The actions on a queue that let Lambda poll it for a function, and let the function return failed messages.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'];

/**
 * The actions a redrive needs on dead-letter queues (`from`) and their source queues (`to`): SQS moves messages with
 * the caller's permissions.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
const REDRIVE = {
  from: ['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  to: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
};

const redriveStatements = (queues: Queues): PolicyStatement[] => [
  new PolicyStatement({
    actions: REDRIVE.from,
    resources: taskQueues(queues).map(([, { deadLetters }]) => deadLetters.queueArn),
  }),
  new PolicyStatement({ actions: REDRIVE.to, resources: taskQueues(queues).map(([, queue]) => queue.queueArn) }),
];

const topicName = (topic: Topic): string =>
  topicsOf('*')[topic.slice('topic/'.length) as (typeof deviceTopics)[number]];

/** Returns a topic ARN with a wildcard for the device, because devices are not known at deployment. */
const topicArn = (scope: Construct, topic: Topic): string =>
  Stack.of(scope).formatArn({
    service: 'iot',
    resource: 'topic',
    resourceName: topicName(topic),
  });

/** Acknowledges the cdk-nag findings about wildcards in role permissions: device topics, alarms and export objects. */
export const acknowledgeWildcards = (role: Role, uses: readonly Use[]): void => {
  for (const { resource } of capabilitiesOf(uses)) {
    if (resource === 'exports') acknowledge(role, 'exports, any object');
    if (resource === 'alarm states') acknowledge(role, 'alarm states');
    if (resource !== undefined && isTopic(resource)) acknowledge(role, resource);
  }
};

type Capability = ReturnType<typeof capabilityOf>;
const capabilitiesOf = (uses: readonly Use[]): Capability[] =>
  [...new Set(uses)].filter(isCapability).map(capabilityOf);

/** Returns the environment for a function: exactly the variables required by the contract. */
export const functionEnvironment = (
  uses: readonly Use[],
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    [...new Set(uses.flatMap(variablesOf))].sort().map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the variable ${name} has no value in this stage`);
      return [name, value];
    }),
  );

/**
 * Returns the ARNs of the SES identities that can verify a sender: the address and the domain. Empty in a stage without
 * email.
 */
export const senderIdentityArns = (stack: Stack, mailSender: string): string[] =>
  (mailSender === '' ? [] : [mailSender, mailSender.slice(mailSender.indexOf('@') + 1)]).map((resourceName) =>
    stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
  );

/** https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context */
const encryptionCondition = (contexts: readonly string[] | undefined) =>
  contexts && { conditions: { StringLike: { 'kms:EncryptionContext:id': [...contexts] } } };

/**
 * The condition that limits sending to one address. Without it, an identity for a whole domain could send from any
 * address in the domain.
 * https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
 */
const senderCondition = (mailSender: string) => ({ conditions: { StringEquals: { 'ses:FromAddress': mailSender } } });

/**
 * Whether a resource is a sender. In a stage without that sender, functions have no permission for it and do not use
 * it.
 */
const isSender = (resource: Capability['resource']): resource is 'mail' | 'sms' =>
  resource === 'mail' || resource === 'sms';

/** Returns the permissions a function needs for store calls and capabilities, without duplicates. */
export const permissionsOf = (uses: readonly Use[], resources: Resources): PolicyStatement[] => {
  const { table, queues, alarmTopic, senders, smsOrigins, mailSender } = resources;
  const capabilities = capabilitiesOf(uses);
  const onResources = capabilities.flatMap(({ resource, actions = [], contexts }) =>
    resource === undefined || isSender(resource) || isTopic(resource) || (resource === 'alarms' && !alarmTopic)
      ? []
      : [
          new PolicyStatement({
            actions: [...actions],
            resources: [arnOf(resource, resources)],
            ...encryptionCondition(contexts),
          }),
        ],
  );
  const onTopics = capabilities.flatMap(({ resource, actions = [] }) =>
    resource !== undefined && isTopic(resource)
      ? [new PolicyStatement({ actions: [...actions], resources: [topicArn(queues.events, resource)] })]
      : [],
  );
  const onSenders = capabilities.flatMap(({ resource, actions = [] }) => {
    const from = isSender(resource) ? { mail: senders, sms: smsOrigins }[resource] : [];
    const only = resource === 'mail' && senderCondition(mailSender);
    return from.length > 0 ? [new PolicyStatement({ actions: [...actions], resources: [...from], ...only })] : [];
  });
  const redrive = uses.includes('redrive') ? redriveStatements(queues) : [];
  return [
    ...tableStatements(table.tableArn, uses.filter(isStoreCall)),
    ...onResources,
    ...onTopics,
    ...redrive,
    ...onSenders,
  ];
};

/** Returns the permissions to receive messages from queues. */
export const pollingPermission = ({ queues: names }: Consumer, queues: Queues): PolicyStatement =>
  new PolicyStatement({
    actions: POLLING,
    resources: names.map((name: QueueName) => queueArnOf(queues, name)),
  });
