import { expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
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

/** The fields of all configurations of sensors that can be written, with what the contract says of them. */
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

test('each field of a configuration has a name and a text in German, and no others have', () => {
  const names = new Set(fields().map(([name]) => name));
  expect(names.size).toBeGreaterThan(70);
  expect(Object.keys(german).toSorted()).toEqual([...names].toSorted());
});

test('what a choice means is told in German where it is told in English', () => {
  const choices = (text = '') => [...text.matchAll(/(?:^|[ :,])(-?\d) /g)].map(([, choice]) => choice);
  for (const [name, { description }] of fields())
    if (/(?:^|: )-?\d \w/.test(description ?? ''))
      expect(choices(german[name]?.[1]), name).toEqual(choices(description));
});

test('the console offers a format to those whom the service lets have it', () => {
  const offered = Format.options.filter((format) => isForBots(format));
  expect(offered).toEqual(Format.options.filter((format) => formats[format].isForBots));
});
