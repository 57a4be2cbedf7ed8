import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import policy from '#lib/aws/deployer-policy.json' with { type: 'json' };
import recoveryPolicy from '#lib/aws/recovery-policy.json' with { type: 'json' };

const folder = new URL('../../../lib/tools/', import.meta.url);
const services: Record<string, string> = { sesv2: 'ses', 'pinpoint-sms-voice-v2': 'sms-voice' };
/** IAM actions whose names differ from the API call. */
const otherNames: Record<string, string> = {
  's3:ListObjectsV2': 's3:ListBucket',
  's3:DeleteObjects': 's3:DeleteObject',
};

/** Returns the IAM actions for the commands that a source file imports. */
const actionsIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([\w-]+)'/g)].flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/(?:(\w+)Command|paginate(\w+))\b/g)].map(([, action, paged]) => {
      const name = `${services[client] ?? client}:${action ?? paged}`;
      return otherNames[name] ?? name;
    }),
  );
type Statement = { Sid: string; Action: string | string[]; Resource: string | string[] };
const actionsOf = (statements: readonly Statement[]) => statements.flatMap(({ Action }) => Action).sort();
const ofTables = ({ Action }: Statement) => [Action].flat().some((action) => action.startsWith('dynamodb:'));
/** Whether a statement covers requests by DynamoDB itself, which fills recovered tables, or by the store. */
const isOfItems = (statement: Statement) =>
  statement.Sid === 'FillRecoveredTable' || JSON.stringify(statement).includes('dynamodb:LeadingKeys');

test('the deployer and recovery policies allow exactly the requests that the tools make', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const called = new Set(files.flatMap((file) => actionsIn(readFileSync(new URL(file, folder), 'utf8'))));
  const statements: readonly Statement[] = policy.Statement;
  const checks = statements.filter((statement) => statement.Sid !== 'AssumeBootstrapRoles' && !isOfItems(statement));
  const recovery = recoveryPolicy.Statement.filter((statement) => !isOfItems(statement));
  expect(called.size).toBeGreaterThan(15);
  expect([...actionsOf(checks), ...actionsOf(recovery)].sort()).toEqual([...called].sort());
});

test("the deployer policy allows only this account's bootstrap roles and only stage resources", () => {
  const [roles] = policy.Statement.filter(({ Action }) => Action === 'sts:AssumeRole');
  expect(roles?.Resource).toBe(`arn:*:iam::*:role/cdk-*-${'$'}{aws:PrincipalAccount}-*`);
  expect(JSON.stringify(roles?.Condition)).toMatch(
    /^\{"StringEquals":\{"aws:ResourceAccount":"\$\{aws:PrincipalAccount\}"\}\}$/,
  );
  const changes = policy.Statement.filter(
    ({ Sid }) => !['AssumeBootstrapRoles', 'CheckBeforeDeployment'].includes(Sid),
  );
  for (const arn of changes.flatMap(({ Resource }) => Resource))
    expect(arn).toMatch(/:(stack\/SensorCloud-\*\/\*|table\/SensorCloud-.*)$|:::sensorcloud-\*(\/\*)?$/);
  const tables = policy.Statement.filter(ofTables);
  expect(tables.flatMap(({ Resource }) => Resource).every((arn) => arn.includes(':table/SensorCloud-'))).toBe(true);
  // Without the leading keys condition, the second operator would match.
  for (const { Condition } of tables)
    expect(Condition).toMatchObject({
      Null: { 'dynamodb:LeadingKeys': 'false' },
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.anything() },
    });
  expect(JSON.stringify(policy)).not.toContain('dynamodb:Scan');
});

test('the recovery policy allows changes only to recovered tables and stage functions', () => {
  const resourcesOf = (statements: readonly Statement[]) => statements.flatMap(({ Resource }) => Resource);
  const tables = recoveryPolicy.Statement.filter(ofTables);
  const [erasures, ...more] = tables.filter(({ Sid }) => Sid === 'ReadErasures');
  expect([erasures?.Action, JSON.stringify(erasures?.Condition), more]).toEqual([
    'dynamodb:Query',
    '{"Null":{"dynamodb:LeadingKeys":"false"},"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"ERASURES"}}',
    [],
  ]);
  const [reading, ...changing] = tables.filter((table) => table !== erasures);
  expect(reading?.Resource).toBe('arn:*:dynamodb:*:*:table/SensorCloud-*');
  expect(new Set(resourcesOf(changing))).toEqual(new Set(['arn:*:dynamodb:*:*:table/SensorCloud-*-recovered-*']));
  expect(JSON.stringify(reading)).not.toMatch(/Item|Scan|Query|Update|Delete/);
  const functions = recoveryPolicy.Statement.filter((statement) => !ofTables(statement));
  expect(functions).toHaveLength(2);
  for (const statement of functions)
    expect(JSON.stringify(statement)).toContain('"arn:*:lambda:*:*:function:SensorCloud-*"');
});
