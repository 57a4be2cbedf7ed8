import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '#lib/console/api/client.ts';

/** The parts of JSON Schema used in configurations. */
type Schema = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly (string | number)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  $ref?: string;
};
type Document = {
  paths: Readonly<Record<string, { put?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** A form field. `from` and `until` are firmware versions from the description. */
export type Field = {
  name: string;
  kind: 'switch' | 'choice' | 'number' | 'text' | 'lines';
  note: string;
  byDefault: unknown;
  isNullable: boolean;
  choices: readonly (string | number)[];
  min?: number;
  max?: number;
  from?: number;
  until?: number;
};

const kindOf = ({ type, enum: choices }: Schema): Field['kind'] => {
  if (choices) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'array') return 'lines';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
};

/** Returns a range bound, or undefined for the 32-bit integer bounds, which are not real limits. */
const bound = (value: number | undefined): number | undefined =>
  value === undefined || Math.abs(value) >= 2_147_483_647 ? undefined : value;

const fieldOf = (name: string, schema: Schema): Field => {
  const { anyOf = [], description = '' } = schema;
  const valueSchema = anyOf.find(({ type }) => type !== 'null') ?? schema;
  const [, from] = /(?:; )?from firmware v0\.(\d+)/.exec(description) ?? [];
  const [, until] = /(?:; |, )?not as of v0\.(\d+)/.exec(description) ?? [];
  const isText = valueSchema.type === 'string';
  const min = isText ? undefined : bound(valueSchema.minimum);
  const max = isText ? undefined : bound(valueSchema.maximum);
  return {
    name,
    kind: kindOf(valueSchema),
    note: description.replace(/;? ?(?:from firmware|not as of) v0\..*$/, '').replaceAll('`', ''),
    byDefault: schema.default ?? null,
    isNullable: anyOf.some(({ type }) => type === 'null'),
    choices: valueSchema.enum ?? [],
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(from !== undefined && { from: Number(from) }),
    ...(until !== undefined && { until: Number(until) }),
  };
};

const resolveRef = ({ components }: Document, schema: Schema): Schema =>
  schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

/** Returns the body fields for a PUT to a path. */
export const fieldsAt = (document: Document, path: string): Field[] => {
  const schema = document.paths[path]?.put?.requestBody?.content['application/json']?.schema ?? {};
  return Object.entries(resolveRef(document, schema).properties ?? {}).map(([name, property]) =>
    fieldOf(name, property),
  );
};

/** The query for the OpenAPI document, from which the forms are generated. */
export const documentQuery = queryOptions({
  queryKey: ['openapi'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await ok(api.GET('/openapi.json'))) as unknown as Document,
});
