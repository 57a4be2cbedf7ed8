import type { Account } from './account.ts';

/** A message published by a device, with the connection's principal and the arrival time (ms). */
export type Published = { topic: string; principal: string; time: number; payload: Buffer };

type Written = {
  RuleName: string;
  TopicRulePayload: {
    AwsIotSqlVersion: string;
    Sql: string;
    Actions: { Lambda?: { FunctionArn: string } }[];
    ErrorAction: { Sqs: { QueueUrl: string; RoleArn: string } };
  };
};
type Role = {
  AssumeRolePolicyDocument: { Statement: { Principal: object; Condition: object }[] };
  Policies: { PolicyDocument: { Statement: { Action: string; Resource: string }[] } }[];
};

/** Returns the ARN of the queue to which the error action's role may send messages. */
const errorQueueOf = (
  account: Account,
  { QueueUrl, RoleArn }: Written['TopicRulePayload']['ErrorAction']['Sqs'],
): string => {
  const { Policies, AssumeRolePolicyDocument } = account.byArn<Role>('AWS::IAM::Role', RoleArn);
  const arn = account.arnByRef('AWS::SQS::Queue', QueueUrl);
  const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const isAllowed = statements.some(({ Action, Resource }) => Action === 'sqs:SendMessage' && Resource === arn);
  const isAssumed = JSON.stringify(AssumeRolePolicyDocument).includes('"iot.amazonaws.com"');
  if (!isAllowed || !isAssumed) throw new Error(`AWS IoT may not send failed messages to ${arn}`);
  return arn;
};

/** Returns the template's rule for incoming messages. */
export const findRule = (account: Account) => {
  const [rule, ...others] = account.all<Written>('AWS::IoT::TopicRule');
  if (!rule || others.length > 0) throw new Error('the template must have exactly one rule of AWS IoT');
  const { Sql: sql, Actions, ErrorAction } = rule.TopicRulePayload;
  const [lambda, ...more] = Actions.map((action) => action.Lambda?.FunctionArn);
  if (!lambda || more.length > 0) throw new Error('the rule must invoke exactly one function');
  return {
    name: rule.RuleName,
    arn: account.arnOf(rule.id),
    sql,
    lambda,
    errorQueue: errorQueueOf(account, ErrorAction.Sqs),
  };
};

/** The simulated functions in a SELECT. https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-functions.html */
const functions: readonly [RegExp, (published: Published, argument: string) => unknown][] = [
  [/^topic\((\d+)\)$/, ({ topic }, level) => topic.split('/')[Number(level) - 1]],
  [/^principal\(\)$/, ({ principal }) => principal],
  [/^timestamp\(\)$/, ({ time }) => time],
  [/^encode\(\*, 'base64'\)$/, ({ payload }) => payload.toString('base64')],
];

const selectedBy = (expression: string, published: Published): unknown => {
  for (const [pattern, evaluate] of functions) {
    const found = pattern.exec(expression);
    if (found) return evaluate(published, found[1] ?? '');
  }
  throw new Error(`${expression} is not simulated`);
};

/** Returns the event that a rule creates from a message, or null if the rule's filter does not match the topic. */
export const selectOf = (sql: string, published: Published): Record<string, unknown> | null => {
  const [, selected = '', filter = ''] = /^SELECT (.+) FROM '([^']+)'$/.exec(sql) ?? [];
  if (selected === '') throw new Error(`${sql} is not simulated`);
  const topics = new RegExp(`^${filter.replaceAll('+', '[^/]+')}$`);
  if (!topics.test(published.topic)) return null;
  const fields = selected.split(/, (?=\w+\()/).map((field) => field.split(' AS ') as [string, string]);
  return Object.fromEntries(fields.map(([expression, name]) => [name, selectedBy(expression, published)]));
};
