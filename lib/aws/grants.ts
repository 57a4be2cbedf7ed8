import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import {
  capabilityOf,
  isCapability,
  isStoreCall,
  isTopic,
  type QueueName,
  type Topic,
  type topics,
  type Use,
  variablesOf,
  workQueues,
} from '../../shared/capabilities.ts';
import { topicsOf } from '../../shared/ingest/topics.ts';
import type { Consumer } from '../../shared/queue/consumer.ts';
import { acknowledge } from './acknowledged.ts';
import type { Queues } from './queues.ts';
import { tableStatements } from './table-grants.ts';

/** `senders`: the ARNs of the identities that mails may come from. */
export type Resources = { table: ITable; queues: Queues; key: Key; senders: readonly string[] };

/** What Lambda does with a queue in the name of the function that reads it, and how that gives back what failed. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'];

/**
 * Where dead letters are put back from, and to: SQS moves them in the name of who asked for it.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
const MOVING = {
  from: ['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  to: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
};
const movingOf = (queues: Queues): PolicyStatement[] => [
  new PolicyStatement({ actions: MOVING.from, resources: workQueues.map((name) => queues[name].dead.queueArn) }),
  new PolicyStatement({ actions: MOVING.to, resources: workQueues.map((name) => queues[name].queue.queueArn) }),
];

const nameOfTopic = (topic: Topic): string => topicsOf('*')[topic.slice('topic/'.length) as (typeof topics)[number]];

/** A topic of every device: which one it will be nobody knows beforehand. */
const topicArn = (scope: Construct, topic: Topic): string =>
  Stack.of(scope).formatArn({
    service: 'iot',
    resource: 'topic',
    resourceName: nameOfTopic(topic),
  });

/** Lives with the wildcard in a topic of every device. */
export const acknowledgeTopics = (role: Role, uses: readonly Use[]): void => {
  for (const { resource } of rowsOf(uses)) if (resource !== undefined && isTopic(resource)) acknowledge(role, resource);
};

type Row = ReturnType<typeof capabilityOf>;
const rowsOf = (uses: readonly Use[]): Row[] => [...new Set(uses)].filter(isCapability).map(capabilityOf);

/** The environment of a function: exactly the variables that its uses name. */
export const environmentOf = (uses: readonly Use[], values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [...new Set(uses.flatMap(variablesOf))].sort().map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`no stage gives the variable ${name}`);
      return [name, value];
    }),
  );

/** The verified identities that a sender can stand on: its address, or its domain. None: the stage sends no mails. */
export const sendersOf = (stack: Stack, mailSender: string): string[] =>
  (mailSender === '' ? [] : [mailSender, mailSender.slice(mailSender.indexOf('@') + 1)]).map((resourceName) =>
    stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
  );

/** The rights of a function: those of its calls of the store, and the actions that its capabilities list, once. */
export const statementsOf = (uses: readonly Use[], resources: Resources): PolicyStatement[] => {
  const { table, queues, key, senders } = resources;
  const rows = rowsOf(uses);
  const onQueues = rows.flatMap(({ resource, actions = [] }) =>
    resource === undefined || resource === 'mail' || isTopic(resource)
      ? []
      : [
          new PolicyStatement({
            actions: [...actions],
            resources: [resource === 'key' ? key.keyArn : queues[resource].queue.queueArn],
          }),
        ],
  );
  const onTopics = rows.flatMap(({ resource, actions = [] }) =>
    resource !== undefined && isTopic(resource)
      ? [new PolicyStatement({ actions: [...actions], resources: [topicArn(queues.mqtt.queue, resource)] })]
      : [],
  );
  const mails = rows.flatMap(({ resource, actions = [] }) => (resource === 'mail' ? actions : []));
  const onSenders =
    mails.length > 0 && senders.length > 0 ? [new PolicyStatement({ actions: mails, resources: [...senders] })] : [];
  const moving = uses.includes('redrive') ? movingOf(queues) : [];
  return [
    ...tableStatements(table.tableArn, uses.filter(isStoreCall)),
    ...onQueues,
    ...onTopics,
    ...moving,
    ...onSenders,
  ];
};

/** The right to be fed from queues. */
export const pollingOf = ({ queues: names }: Consumer, queues: Queues): PolicyStatement =>
  new PolicyStatement({
    actions: POLLING,
    resources: names.map((name: QueueName) => queues[name].queue.queueArn),
  });
