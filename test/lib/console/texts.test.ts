import { expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
import { english } from '#lib/console/sensors/config/english.ts';
import { german } from '#lib/console/sensors/config/german.ts';
import { isForBots } from '#lib/console/webhooks/draft.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { formats } from '#shared/domain/formats/formats.ts';
import { settingsFrom } from '#shared/runtime/env.ts';

type Schema = { properties?: Record<string, { description?: string }>; $ref?: string };
type Document = {
  paths: Record<string, { put?: { requestBody: { content: { 'application/json': { schema: Schema } } } } }>;
  components: { schemas: Record<string, Schema> };
};

/** All writable configuration fields, with their schemas in the contract. */
const fields = () => {
  const { paths, components } = openApi(describeApi(groups), settingsFrom({})) as unknown as Document;
  const bodies = Object.entries(paths).flatMap(([path, { put }]) =>
    put && /\/maker_\w\/config\//.test(path) ? [put.requestBody.content['application/json'].schema] : [],
  );
  return bodies.flatMap((schema) => {
    const { properties = {} } = schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
    return Object.entries(properties);
  });
};

const languages = [
  ['English', english],
  ['German', german],
] as const;

test.each(languages)('names and explains every configuration field in %s', (_, texts) => {
  const names = new Set(fields().map(([name]) => name));
  expect(names.size).toBeGreaterThan(70);
  expect(Object.keys(texts).toSorted()).toEqual([...names].toSorted());
  for (const [label, note] of Object.values(texts)) expect([label, note]).not.toContain('');
});

test.each(languages)('explains the same choices in %s as the API document', (_, texts) => {
  const choices = (text = '') => [...text.matchAll(/(?:^|[ :,])(-?\d) /g)].map(([, choice]) => choice);
  for (const [name, { description }] of fields())
    if (/(?:^|: )-?\d \w/.test(description ?? ''))
      expect(choices(texts[name]?.[1]), name).toEqual(choices(description));
});

test('offers formats to bots only where the API does', () => {
  const offered = Format.options.filter((format) => isForBots(format));
  expect(offered).toEqual(Format.options.filter((format) => formats[format].isForBots));
});
