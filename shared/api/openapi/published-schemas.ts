import type { ApiDescription } from './document.ts';
import { type Json, SCHEMA_PREFIX } from './schemas.ts';

type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> };
type Described = { requestBody: { content: Record<string, Media> } };
type Components = { schemas: Record<string, Json>; pathItems: Record<string, { post: Described }> };

/** Returns the ids of the schemas a schema refers to, directly or indirectly. */
const referredFrom = (
  schemas: Components['schemas'],
  schema: unknown,
  found = new Set<string>(),
): ReadonlySet<string> => {
  const references = JSON.stringify(schema).matchAll(new RegExp(`"${SCHEMA_PREFIX}([^"]+)"`, 'g'));
  for (const [, id = ''] of references) if (!found.has(id)) referredFrom(schemas, schemas[id], found.add(id));
  return found;
};

/** Removes discriminators, which are specific to OpenAPI. */
const ofJsonSchema = (name: string, value: unknown): unknown => (name === 'discriminator' ? undefined : value);

/** Returns a request schema, together with the schemas it refers to, as a separate JSON Schema. */
const standalone = ({ schemas }: Components, title: string, { requestBody }: Described): Json => {
  const [{ schema, example, examples = { example: { value: example } } } = { schema: {} }] = Object.values(
    requestBody.content,
  );
  const $defs = Object.fromEntries([...referredFrom(schemas, schema)].map((id) => [id, schemas[id]]));
  const complete = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schema,
    examples: Object.values(examples).map(({ value }) => value),
    $defs,
  };
  return JSON.parse(JSON.stringify(complete, ofJsonSchema).replaceAll(`"${SCHEMA_PREFIX}`, '"#/$defs/'));
};

/**
 * Returns the JSON Schemas, by name, for what devices send over HTTP and MQTT (`device-messages`) and what webhooks and
 * makers receive (`webhook-full`). The OpenAPI document contains the same schemas.
 */
export const publishedSchemas = ({ paths, components }: ApiDescription): Record<string, Json> => {
  const { post } = paths['/devices/{sensorId}/messages'] as { post: Described };
  const all = components as Components;
  const ofWebhooks = Object.entries(all.pathItems).map(([id, item]) => {
    const name = `webhook-${id.replace(/Webhook$/, '').toLowerCase()}`;
    return [name, standalone(all, name, item.post)] as const;
  });
  return { 'device-messages': standalone(all, 'device-messages', post), ...Object.fromEntries(ofWebhooks) };
};
