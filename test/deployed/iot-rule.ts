import type { Account } from './account.ts';

/** What a device published. `principal`: whose connection it was; `time`: when it came, ms. */
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

/** The queue that the error action may put messages in, by its role. */
const keeperOf = (
  account: Account,
  { QueueUrl, RoleArn }: Written['TopicRulePayload']['ErrorAction']['Sqs'],
): string => {
  const { Policies, AssumeRolePolicyDocument } = account.byArn<Role>('AWS::IAM::Role', RoleArn);
  const arn = account.arnByRef('AWS::SQS::Queue', QueueUrl);
  const rights = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const isAllowed = rights.some(({ Action, Resource }) => Action === 'sqs:SendMessage' && Resource === arn);
  const isAssumed = JSON.stringify(AssumeRolePolicyDocument).includes('"iot.amazonaws.com"');
  if (!isAllowed || !isAssumed) throw new Error(`AWS IoT may not keep what failed in ${arn}`);
  return arn;
};

/** The rule of the template by which messages come in. */
export const findRule = (account: Account) => {
  const [rule, ...others] = account.all<Written>('AWS::IoT::TopicRule');
  if (!rule || others.length > 0) throw new Error('one rule of AWS IoT is wanted');
  const { Sql: sql, Actions, ErrorAction } = rule.TopicRulePayload;
  const [lambda, ...more] = Actions.map((action) => action.Lambda?.FunctionArn);
  if (!lambda || more.length > 0) throw new Error('the rule invokes no function, or more than one');
  return { name: rule.RuleName, arn: account.arnOf(rule.id), sql, lambda, keeper: keeperOf(account, ErrorAction.Sqs) };
};

/** What a rule may select that is imitated here. https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-functions.html */
const functions: readonly [RegExp, (published: Published, argument: string) => unknown][] = [
  [/^topic\((\d+)\)$/, ({ topic }, level) => topic.split('/')[Number(level) - 1]],
  [/^principal\(\)$/, ({ principal }) => principal],
  [/^timestamp\(\)$/, ({ time }) => time],
  [/^encode\(\*, 'base64'\)$/, ({ payload }) => payload.toString('base64')],
];

const selectedBy = (expression: string, published: Published): unknown => {
  for (const [pattern, give] of functions) {
    const found = pattern.exec(expression);
    if (found) return give(published, found[1] ?? '');
  }
  throw new Error(`${expression} is not imitated here`);
};

/** The event that a rule makes of what was published; null: its filter is not for that topic. */
export const selectOf = (sql: string, published: Published): Record<string, unknown> | null => {
  const [, selected = '', filter = ''] = /^SELECT (.+) FROM '([^']+)'$/.exec(sql) ?? [];
  if (selected === '') throw new Error(`${sql} is not imitated here`);
  const topics = new RegExp(`^${filter.replaceAll('+', '[^/]+')}$`);
  if (!topics.test(published.topic)) return null;
  const fields = selected.split(/, (?=\w+\()/).map((field) => field.split(' AS ') as [string, string]);
  return Object.fromEntries(fields.map(([expression, name]) => [name, selectedBy(expression, published)]));
};
