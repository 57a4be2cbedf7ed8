import { expect, test } from 'vitest';
import { production, stackOf, whole } from '#test/fixtures/stack.ts';

type Resource = { Type: string; Properties?: unknown; UpdatePolicy?: unknown; DependsOn?: string | string[] };

/** Returns the ids of the resources that a value references through Ref, Fn::GetAtt or Fn::Sub. */
const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): string[] => {
    const text = String([inner].flat()[0]);
    if (name === 'Ref') return [text];
    if (name === 'Fn::GetAtt') return text.split('.').slice(0, 1);
    if (name === 'Fn::Sub') return [...text.matchAll(/\$\{(\w+)/g)].map(([, id = '']) => id);
    return referencesIn(inner);
  });
};

/** Returns DependsOn entries already implied by a reference (cfn-lint W3005). */
const redundantIn = (resources: Record<string, Resource>): string[] =>
  Object.entries(resources).flatMap(([id, { Properties, DependsOn = [] }]) => {
    const referenced = new Set(referencesIn(Properties));
    return [DependsOn].flat().flatMap((other) => (referenced.has(other) ? [`${id} on ${other}`] : []));
  });

test.each([
  ['dev', { stage: 'dev' }],
  ['prod', { stage: 'prod' }],
  ['prod with every setting', { ...production, ...whole }],
])('no resource in %s declares a dependency that a reference already implies', (_, context) => {
  const redundant = redundantIn(stackOf(context).template.toJSON().Resources);
  expect(redundant.filter((found) => !/^devicedoorstage\w+ on devicedoordomain\w+$/.test(found))).toEqual([]);
});

test.each([
  { Ref: 'role' },
  { 'Fn::GetAtt': ['role', 'Arn'] },
  { 'Fn::GetAtt': 'role.Arn' },
  { 'Fn::Join': ['', ['a', { 'Fn::Sub': '$'.concat('{role.Arn}/b') }]] },
])('the check finds a redundant role dependency in %j', (Role) => {
  const planted = { Type: 'AWS::Lambda::Function', Properties: { Role, Other: [{ Ref: 'table' }] } };
  expect(redundantIn({ a: { ...planted, DependsOn: ['role', 'other'] } })).toEqual(['a on role']);
  expect(redundantIn({ a: { ...planted, DependsOn: 'role' } })).toEqual(['a on role']);
});

/** Returns the resources in a dependency cycle through references, DependsOn or update policies. */
const circular = (resources: Record<string, Resource>): string[] => {
  const dependencies = new Map(
    Object.entries(resources).map(([id, { Properties, UpdatePolicy, DependsOn = [] }]) => [
      id,
      [...referencesIn(Properties), ...referencesIn(UpdatePolicy), ...[DependsOn].flat()],
    ]),
  );
  const reachableFrom = (id: string): Set<string> => {
    const seen = new Set<string>();
    const next = [...(dependencies.get(id) ?? [])];
    for (let dependency = next.pop(); dependency !== undefined; dependency = next.pop()) {
      if (seen.has(dependency)) continue;
      seen.add(dependency);
      next.push(...(dependencies.get(dependency) ?? []));
    }
    return seen;
  };
  return [...dependencies.keys()].filter((id) => reachableFrom(id).has(id));
};

test('no resource depends on itself, not even through aliases, deployments and alarms', () => {
  const resources: Record<string, Resource> = stackOf({ ...production, ...whole }).template.toJSON().Resources;
  expect(circular(resources)).toEqual([]);
  // A deliberate cycle: an alarm that reads an alias metric.
  const [alias = ''] = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::Lambda::Alias');
  const isStopping = (id: string) => id.startsWith('alarmworkersfailing');
  const planted = Object.entries(resources).map(([id, resource]) => [
    id,
    isStopping(id) ? { ...resource, DependsOn: alias } : resource,
  ]);
  expect(circular(Object.fromEntries(planted))).toContain(alias);
});
