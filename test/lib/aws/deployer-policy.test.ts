import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import policy from '../../../lib/aws/deployer-policy.json' with { type: 'json' };

const folder = new URL('../../../lib/tools/', import.meta.url);
const services: Record<string, string> = { sesv2: 'ses' };

/** The actions of IAM that a source asks AWS for: those of the commands that it imports. */
const actionsIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-(\w+)'/g)].flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/(?:(\w+)Command|paginate(\w+))\b/g)].map(
      ([, action, paged]) => `${services[client] ?? client}:${action ?? paged}`,
    ),
  );

test('the policy of the identity that deploys allows each call that the tools make to an account, and no other check', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const asked = new Set(files.flatMap((file) => actionsIn(readFileSync(new URL(file, folder), 'utf8'))));
  const checks = policy.Statement.find(({ Sid }) => Sid === 'ChecksBeforeADeployment')?.Action;
  expect(asked.size).toBeGreaterThan(4);
  expect([checks].flat().sort()).toEqual([...asked].sort());
});

test('it takes the roles of the bootstrap alone, and reaches no table but those of stages', () => {
  const [roles] = policy.Statement.filter(({ Action }) => Action === 'sts:AssumeRole');
  expect(roles?.Resource).toBe('arn:aws:iam::*:role/cdk-*');
  const tables = policy.Statement.filter(({ Action }) => [Action].flat().some((one) => one.startsWith('dynamodb:')));
  expect(tables.flatMap(({ Resource }) => Resource).every((arn) => arn.includes(':table/SensorCloud-'))).toBe(true);
  expect(JSON.stringify(policy)).not.toContain('dynamodb:Scan');
});
