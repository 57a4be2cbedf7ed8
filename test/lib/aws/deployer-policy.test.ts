import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import policy from '#lib/aws/deployer-policy.json' with { type: 'json' };
import ofRecovery from '#lib/aws/recovery-policy.json' with { type: 'json' };

const folder = new URL('../../../lib/tools/', import.meta.url);
const services: Record<string, string> = { sesv2: 'ses' };

/** The actions of IAM that a source asks AWS for: those of the commands that it imports. */
const actionsIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-(\w+)'/g)].flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/(?:(\w+)Command|paginate(\w+))\b/g)].map(
      ([, action, paged]) => `${services[client] ?? client}:${action ?? paged}`,
    ),
  );
type Statement = { Sid: string; Action: string | string[]; Resource: string | string[] };
const actionsOf = (statements: readonly Statement[]) => statements.flatMap(({ Action }) => Action).sort();
const ofTables = ({ Action }: Statement) => [Action].flat().some((action) => action.startsWith('dynamodb:'));
/** What DynamoDB does itself with the rights of whoever recovers a table; and what has to be erased again, which the store reads. */
const isOfItems = ({ Sid }: Statement) => /^(FillTheRecoveredTable|ReadWhatHasToBeErasedAgain)/.test(Sid);

test('the policies of who deploys and who recovers allow each call that the tools make to an account, and no other one', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const asked = new Set(files.flatMap((file) => actionsIn(readFileSync(new URL(file, folder), 'utf8'))));
  const checks = policy.Statement.filter(({ Sid }) => Sid === 'ChecksBeforeADeployment');
  const recovery = ofRecovery.Statement.filter((statement) => !isOfItems(statement));
  expect(asked.size).toBeGreaterThan(15);
  expect([...actionsOf(checks), ...actionsOf(recovery)].sort()).toEqual([...asked].sort());
});

test('who deploys takes the roles of the bootstrap alone, and reaches no table but those of stages', () => {
  const [roles] = policy.Statement.filter(({ Action }) => Action === 'sts:AssumeRole');
  expect(roles?.Resource).toBe('arn:aws:iam::*:role/cdk-*');
  const tables = policy.Statement.filter(ofTables);
  expect(tables.flatMap(({ Resource }) => Resource).every((arn) => arn.includes(':table/SensorCloud-'))).toBe(true);
  expect(JSON.stringify(policy)).not.toContain('dynamodb:Scan');
});

test('who recovers changes no table but recovered ones, and no function but those of stages', () => {
  const resourcesOf = (statements: readonly Statement[]) => statements.flatMap(({ Resource }) => Resource);
  const tables = ofRecovery.Statement.filter(ofTables);
  const [erasures, ...more] = tables.filter(({ Sid }) => Sid === 'ReadWhatHasToBeErasedAgain');
  expect([erasures?.Action, JSON.stringify(erasures?.Condition), more]).toEqual([
    'dynamodb:Query',
    '{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"ERASURES"}}',
    [],
  ]);
  const [reading, ...changing] = tables.filter((table) => table !== erasures);
  expect(reading?.Resource).toBe('arn:aws:dynamodb:*:*:table/SensorCloud-*');
  expect(new Set(resourcesOf(changing))).toEqual(new Set(['arn:aws:dynamodb:*:*:table/SensorCloud-*-recovered-*']));
  expect(JSON.stringify(reading)).not.toMatch(/Item|Scan|Query|Update|Delete/);
  const functions = ofRecovery.Statement.filter((statement) => !ofTables(statement));
  expect(functions).toHaveLength(2);
  for (const statement of functions)
    expect(JSON.stringify(statement)).toContain('"arn:aws:lambda:*:*:function:SensorCloud-*"');
});
