import { expect, test } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/mrk-0123456789abcdef';
const { template } = stackOf({ ...production, stage: 'prod-2', keyArn, tableName: 'imported' });

test('a stage in another region uses a replica key and an imported table, without creating a key', () => {
  expect(template.findResources('AWS::KMS::Key')).toEqual({});
  const named = JSON.stringify(template.findResources('AWS::Lambda::Function'));
  expect(named.split(`"SECRETS_KEY_ARN":"${keyArn}"`).length - 1).toBeGreaterThan(2);
  expect(named).toContain('"TABLE_NAME":"imported"');
});

test("a stage's key can be replicated to another region, unless multiRegionKey is false", () => {
  for (const multiRegionKey of [true, false])
    stackOf({ ...production, multiRegionKey }).template.hasResourceProperties('AWS::KMS::Key', {
      MultiRegion: multiRegionKey,
    });
  stackOf(production).template.hasResourceProperties('AWS::KMS::Key', { MultiRegion: true });
});

test('functions have the same permissions for a replica key as for the original, and no others', () => {
  const rights = (stack: typeof template) =>
    [
      ...JSON.stringify(stack.findResources('AWS::IAM::Role')).matchAll(
        /"Action":"(kms:\w+)".*?"Resource":("[^"]+"|\{[^}]+\})/g,
      ),
    ]
      .map(([, action, resource]) => [action, resource])
      .toSorted();
  const here = rights(stackOf({ ...production, stage: 'prod-2' }).template);
  expect(rights(template).map(([action]) => action)).toEqual(here.map(([action]) => action));
  expect(new Set(rights(template).map(([, resource]) => resource))).toEqual(new Set([JSON.stringify(keyArn)]));
  expect(here.length).toBeGreaterThan(2);
});
