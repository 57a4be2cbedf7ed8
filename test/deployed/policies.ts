import type { Condition, Policy, Statement } from '../fixtures/iam.ts';
import { type Account, shortOf } from './account.ts';

type Written = { Effect: string; Action: string | string[]; Resource: string | string[]; Condition?: Condition };
type Role = { Policies?: { PolicyDocument: { Statement: Written[] } }[] };

/** Returns a queue's short name: `events`, `events-dead`, `quarantine`. */
export const queueNameOf = (id: string): string =>
  shortOf(id).replace(/(dead|queue)$/, (kind) => (kind === 'dead' ? '-dead' : ''));

/** Returns a function that shortens the account's ARNs for readable messages, and leaves other ARNs unchanged. */
const namesOf = (account: Account): ((arn: string) => string) => {
  const { all, arnOf } = account;
  const named = (type: string, name: (id: string) => string) =>
    all(type).map(({ id }): [string, string] => [arnOf(id), name(id)]);
  const names = [
    ...named('AWS::DynamoDB::Table', () => 'table'),
    ...named('AWS::KMS::Key', () => 'key'),
    ...named('AWS::S3::Bucket', () => 'exports'),
    ...named('AWS::Logs::LogGroup', (id) => `logs/${id}`),
    ...account.all('AWS::SNS::Topic').map(({ id }): [string, string] => [account.ref(id), 'alarms']),
    ...named('AWS::SQS::Queue', (id) => `queue/${queueNameOf(id)}`),
  ];
  return (arn) => {
    const [known, name] = names.find(([prefix]) => arn === prefix || arn.startsWith(`${prefix}/`)) ?? [];
    if (known !== undefined) return name + arn.slice(known.length);
    return arn
      .replace(/^arn:aws:ses:.*:identity\//, 'mail/')
      .replace(/^arn:aws:cloudwatch:.*:alarm:\*$/, 'alarm states')
      .replace(/^arn:aws:sms-voice:.*:phone-number\//, 'sms/')
      .replace(/^arn:aws:iot:.*:topic\/v1\/devices\/\*\//, 'topic/');
  };
};

/** Returns each function's permissions, from the inline policies on its role. Throws for any effect but `Allow`. */
export const policiesOf = (account: Account): Map<string, Policy> => {
  const nameOf = namesOf(account);
  const read = ({ Effect, Action, Resource, Condition = {} }: Written): Statement => {
    if (Effect !== 'Allow') throw new Error('a policy has an effect other than Allow');
    return { actions: [Action].flat(), resources: [Resource].flat().map(nameOf), conditions: Condition };
  };
  const functions = account.all<{ Role: string }>('AWS::Lambda::Function');
  return new Map(
    functions.map(({ id, Role }) => {
      const { Policies = [] } = account.byArn<Role>('AWS::IAM::Role', Role);
      return [shortOf(id), Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(read))];
    }),
  );
};
