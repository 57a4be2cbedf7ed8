import type { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { type Capability, capabilityOf, type QueueName } from '../../shared/capabilities.ts';
import type { Consumer } from '../../shared/queue/consumer.ts';
import { tableDesign } from '../../shared/store/table.ts';
import type { Queues } from './queues.ts';

/** `senders`: the ARNs of the identities that mails may come from. */
export type Resources = { table: Table; queues: Queues; key: Key; senders: readonly string[] };

/** What Lambda does with a queue in the name of the function that reads it. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

type Row = ReturnType<typeof capabilityOf>;
const rowsOf = (uses: readonly Capability[]): Row[] => [...new Set(uses)].map(capabilityOf);

/** The environment of a function: exactly the variables that its capabilities name. */
export const environmentOf = (
  uses: readonly Capability[],
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    [...new Set(rowsOf(uses).flatMap(({ env }) => env))].sort().map((name) => {
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

const onTable = (table: Table, actions: readonly string[], leadingKeys?: readonly string[]): PolicyStatement[] => {
  const conditions = leadingKeys && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } };
  const indexes = Object.keys(tableDesign.indexes).map((name) => `${table.tableArn}/index/${name}`);
  const parts = [
    { actions: actions.filter((one) => one !== 'dynamodb:Query'), resources: [table.tableArn] },
    { actions: actions.filter((one) => one === 'dynamodb:Query'), resources: [table.tableArn, ...indexes] },
  ];
  return parts
    .filter((part) => part.actions.length > 0)
    .map((part) => new PolicyStatement({ ...part, ...(conditions && { conditions }) }));
};

/**
 * The rights of a function: for each resource the actions that its capabilities list, once. A capability that is
 * limited to some keys adds only what the function may not do everywhere anyway.
 */
export const statementsOf = (
  uses: readonly Capability[],
  { table, queues, key, senders }: Resources,
): PolicyStatement[] => {
  const rows = rowsOf(uses);
  const onAnyKey = rows.filter(({ resource, leadingKeys }) => resource === 'table' && !leadingKeys);
  const everywhere = new Set(onAnyKey.flatMap(({ actions = [] }) => actions));
  const limited = rows.flatMap(({ actions = [], leadingKeys }) => {
    const more = actions.filter((action) => !everywhere.has(action));
    return leadingKeys ? onTable(table, more, leadingKeys) : [];
  });
  const onQueues = rows.flatMap(({ resource, actions = [] }) =>
    resource === undefined || resource === 'table' || resource === 'mail'
      ? []
      : [
          new PolicyStatement({
            actions: [...actions],
            resources: [resource === 'key' ? key.keyArn : queues[resource].queue.queueArn],
          }),
        ],
  );
  const mails = rows.flatMap(({ resource, actions = [] }) => (resource === 'mail' ? actions : []));
  const onSenders =
    mails.length > 0 && senders.length > 0 ? [new PolicyStatement({ actions: mails, resources: [...senders] })] : [];
  return [...onTable(table, [...everywhere]), ...limited, ...onQueues, ...onSenders];
};

/** The right to be fed from queues. */
export const pollingOf = ({ queues: names }: Consumer, queues: Queues): PolicyStatement =>
  new PolicyStatement({
    actions: POLLING,
    resources: names.map((name: QueueName) => queues[name].queue.queueArn),
  });
