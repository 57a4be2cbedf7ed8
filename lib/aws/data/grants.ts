import { Stack } from 'aws-cdk-lib';
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
  isCapability,
  isStoreCall,
  isTopic,
  type Topic,
  type topics,
  type Use,
} from '#shared/runtime/capabilities.ts';
import { variablesOf } from '#shared/settings/environment.ts';
import { acknowledge } from '../acknowledged.ts';
import { type Queues, queueArnOf, workedOn } from '../queues/queues.ts';
import { tableStatements } from './table-grants.ts';

/**
 * The resources of the stack; `senders` are the ARNs of the identities that mails may come from, `smsOrigins` of those that
 * SMS may.
 */
export type Resources = {
  table: ITable;
  queues: Queues;
  key: IKey;
  alarmTopic: ITopic | null;
  exports: Bucket;
  senders: readonly string[];
  smsOrigins: readonly string[];
};

const arnOf = (
  resource: QueueName | 'key' | 'alarms' | 'exports',
  { queues, key, alarmTopic, exports }: Resources,
): string => {
  if (resource === 'key') return key.keyArn;
  if (resource === 'exports') return exports.arnForObjects('*');
  if (resource !== 'alarms') return queueArnOf(queues, resource);
  if (!alarmTopic) throw new Error('this stage has no topic of alarms');
  return alarmTopic.topicArn;
};

/**
 * The actions with which Lambda polls a queue for a function, and with which the function returns failed messages.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'];

/**
 * The actions on the dead-letter queues (`from`) and their queues (`to`) of a redrive: SQS moves the messages with
 * the rights of the caller.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
const MOVING = {
  from: ['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  to: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
};
const movingOf = (queues: Queues): PolicyStatement[] => [
  new PolicyStatement({ actions: MOVING.from, resources: workedOn(queues).map(([, { dead }]) => dead.queueArn) }),
  new PolicyStatement({ actions: MOVING.to, resources: workedOn(queues).map(([, queue]) => queue.queueArn) }),
];

const nameOfTopic = (topic: Topic): string => topicsOf('*')[topic.slice('topic/'.length) as (typeof topics)[number]];

/** The ARN of a topic with a wildcard for the device, because devices are not known at deployment. */
const topicArn = (scope: Construct, topic: Topic): string =>
  Stack.of(scope).formatArn({
    service: 'iot',
    resource: 'topic',
    resourceName: nameOfTopic(topic),
  });

/** Acknowledges the findings of cdk-nag about wildcards in what a role may do: in topics of devices, in names of exports. */
export const acknowledgeWildcards = (role: Role, uses: readonly Use[]): void => {
  for (const { resource } of rowsOf(uses)) {
    if (resource === 'exports') acknowledge(role, 'exports, any object');
    if (resource !== undefined && isTopic(resource)) acknowledge(role, resource);
  }
};

type Row = ReturnType<typeof capabilityOf>;
const rowsOf = (uses: readonly Use[]): Row[] => [...new Set(uses)].filter(isCapability).map(capabilityOf);

/** The environment of a function: exactly the variables of its uses. */
export const environmentOf = (uses: readonly Use[], values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [...new Set(uses.flatMap(variablesOf))].sort().map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`no stage gives the variable ${name}`);
      return [name, value];
    }),
  );

/**
 * The SES identities that a sender may be verified by: its address and its domain. The list is empty when the stage
 * sends no mails.
 */
export const sendersOf = (stack: Stack, mailSender: string): string[] =>
  (mailSender === '' ? [] : [mailSender, mailSender.slice(mailSender.indexOf('@') + 1)]).map((resourceName) =>
    stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
  );

/** https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context */
const sealedBy = (context: string | undefined) =>
  context !== undefined && { conditions: { StringEquals: { 'kms:EncryptionContext:id': context } } };

/** The resources that a stage may lack. Without them nothing is allowed, and the function knows. */
const isSender = (resource: Row['resource']): resource is 'mail' | 'sms' => resource === 'mail' || resource === 'sms';

/**
 * The rights of a function: those of its calls of the store, and the actions of its capabilities, without duplicates.
 */
export const statementsOf = (uses: readonly Use[], resources: Resources): PolicyStatement[] => {
  const { table, queues, senders, smsOrigins } = resources;
  const rows = rowsOf(uses);
  const onQueues = rows.flatMap(({ resource, actions = [], context }) =>
    resource === undefined || isSender(resource) || isTopic(resource)
      ? []
      : [new PolicyStatement({ actions: [...actions], resources: [arnOf(resource, resources)], ...sealedBy(context) })],
  );
  const onTopics = rows.flatMap(({ resource, actions = [] }) =>
    resource !== undefined && isTopic(resource)
      ? [new PolicyStatement({ actions: [...actions], resources: [topicArn(queues.events, resource)] })]
      : [],
  );
  const onSenders = rows.flatMap(({ resource, actions = [] }) => {
    const from = isSender(resource) ? { mail: senders, sms: smsOrigins }[resource] : [];
    return from.length > 0 ? [new PolicyStatement({ actions: [...actions], resources: [...from] })] : [];
  });
  const moving = uses.includes('redrive') ? movingOf(queues) : [];
  return [
    ...tableStatements(table.tableArn, uses.filter(isStoreCall)),
    ...onQueues,
    ...onTopics,
    ...moving,
    ...onSenders,
  ];
};

/** The right to be invoked with messages of queues. */
export const pollingOf = ({ queues: names }: Consumer, queues: Queues): PolicyStatement =>
  new PolicyStatement({
    actions: POLLING,
    resources: names.map((name: QueueName) => queueArnOf(queues, name)),
  });
