import { expect, test } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

type Resource = { Type: string; Properties?: unknown; UpdatePolicy?: unknown; DependsOn?: string | string[] };

/** Ids of resources that a value names: by Ref, Fn::GetAtt or within Fn::Sub. */
const namedIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(namedIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): string[] => {
    const text = String([inner].flat()[0]);
    if (name === 'Ref') return [text];
    if (name === 'Fn::GetAtt') return text.split('.').slice(0, 1);
    if (name === 'Fn::Sub') return [...text.matchAll(/\$\{(\w+)/g)].map(([, id = '']) => id);
    return namedIn(inner);
  });
};

/** `id waits for other`, where naming `other` says so already: W3005 of cfn-lint. */
const saidTwice = (resources: Record<string, Resource>): string[] =>
  Object.entries(resources).flatMap(([id, { Properties, DependsOn = [] }]) => {
    const named = new Set(namedIn(Properties));
    return [DependsOn].flat().flatMap((other) => (named.has(other) ? [`${id} waits for ${other}`] : []));
  });

test.each(['dev', 'prod'])('no resource of %s declares a dependency twice', (stage) => {
  expect(saidTwice(stackOf({ stage }).template.toJSON().Resources)).toEqual([]);
});

test.each([
  { Ref: 'role' },
  { 'Fn::GetAtt': ['role', 'Arn'] },
  { 'Fn::GetAtt': 'role.Arn' },
  { 'Fn::Join': ['', ['a', { 'Fn::Sub': '$'.concat('{role.Arn}/b') }]] },
])('a dependency that is said twice is found: %j', (Role) => {
  const planted = { Type: 'AWS::Lambda::Function', Properties: { Role, Other: [{ Ref: 'table' }] } };
  expect(saidTwice({ a: { ...planted, DependsOn: ['role', 'other'] } })).toEqual(['a waits for role']);
  expect(saidTwice({ a: { ...planted, DependsOn: 'role' } })).toEqual(['a waits for role']);
});

/** The resources that wait for themselves, over others: each waits for what it names, its policy of updates too. */
const circular = (resources: Record<string, Resource>): string[] => {
  const waited = new Map(
    Object.entries(resources).map(([id, { Properties, UpdatePolicy, DependsOn = [] }]) => [
      id,
      [...namedIn(Properties), ...namedIn(UpdatePolicy), ...[DependsOn].flat()],
    ]),
  );
  const behind = (id: string): Set<string> => {
    const seen = new Set<string>();
    const next = [...(waited.get(id) ?? [])];
    for (let dependency = next.pop(); dependency !== undefined; dependency = next.pop()) {
      if (seen.has(dependency)) continue;
      seen.add(dependency);
      next.push(...(waited.get(dependency) ?? []));
    }
    return seen;
  };
  return [...waited.keys()].filter((id) => behind(id).has(id));
};

test('no resource waits for itself, over an alias, its deployments and the alarms that stop them either', () => {
  const resources: Record<string, Resource> = stackOf({ ...production, mqtt: true }).template.toJSON().Resources;
  expect(circular(resources)).toEqual([]);
  // Planted: an alarm that reads a metric of an alias.
  const [alias = ''] = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::Lambda::Alias');
  const isStopping = (id: string) => id.startsWith('alarmworkersfailing');
  const planted = Object.entries(resources).map(([id, resource]) => [
    id,
    isStopping(id) ? { ...resource, DependsOn: alias } : resource,
  ]);
  expect(circular(Object.fromEntries(planted))).toContain(alias);
});
