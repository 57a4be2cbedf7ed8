import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultQuotas, limitOf, quotaOverridesSchema, quotasSchema } from '#shared/domain/identity/quota.ts';
import { withoutStrings } from '#test/fixtures/imports.ts';

const root = new URL('../../../..', import.meta.url).pathname;

// A quota that is declared but never used still compiles. It just limits nothing.
test('every quota is enforced somewhere', () => {
  const code = ['functions', 'shared']
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('/contract.ts') && !file.endsWith('/quota.ts'))
    .map((file) => withoutStrings(readFileSync(root + file, 'utf8')))
    .join('\n');
  const isEnforced = (name: string) =>
    new RegExp(String.raw`\b(quotas|QUOTAS)\.${name}\b|\{ ${name} \}: Quotas`).test(code);
  expect(Object.keys(defaultQuotas).filter((name) => !isEnforced(name))).toEqual([]);
});

const most = {
  webhooks: 1_000,
  bots: 10_000,
  rules: 10_000,
  rulesOfOneSituation: 1_000,
  users: 100_000,
  sensors: 100_000,
  sensorsInGroup: 1_000,
  sensorGroups: 10_000,
  replays: 100,
  smsPerDay: 100_000,
  smsCodesPerDay: 100_000,
  smsTestsPerDay: 100_000,
  messagesPerSecond: 1_000_000,
};

test('a stage can set each quota from 0 to the maximum without changing the others', () => {
  const parse = (overrides: object) => quotaOverridesSchema().safeParse(overrides);
  expect(parse(most).data).toEqual(most);
  expect(parse({}).data).toEqual({});
  expect(parse({ users: 0 }).data).toEqual({ users: 0 });
  for (const [name, max] of Object.entries(most))
    for (const value of [max + 1, -1, 1.5]) {
      const message = `must be a whole number from 0 to ${max}`;
      expect(parse({ [name]: value }).error?.issues).toMatchObject([{ path: [name], message }]);
    }
  expect(parse({ other: 1 }).success).toBe(false);
});

test('a customer gets the default for every quota that is not set', () => {
  expect(quotasSchema().parse({ rules: 7 })).toEqual({ ...defaultQuotas, rules: 7 });
  expect(defaultQuotas).toEqual({
    webhooks: 50,
    bots: 100,
    rules: 500,
    rulesOfOneSituation: 50,
    users: 500,
    sensors: 10_000,
    sensorsInGroup: 1_000,
    sensorGroups: 200,
    replays: 1,
    smsPerDay: 100,
    smsCodesPerDay: 100,
    smsTestsPerDay: 100,
    messagesPerSecond: 100,
  });
  expect(limitOf({ ...defaultQuotas, rules: 7 }, 'rules')).toEqual({ limit: { of: 'rules', most: 7 } });
});
