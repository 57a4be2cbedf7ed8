import { expect, test } from 'vitest';
import { stackOf } from '../../fixtures/stack.ts';

type Resource = { Type: string; Properties?: unknown; DependsOn?: string | string[] };

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
