import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ok } from '../../api/problem.ts';

/** JSON Schema of a field, as far as configurations use it. */
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

/** A field of a form: what it is, and what its description says of the firmware that it needs. */
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

/** The range of all 32-bit integers limits nobody. */
const bound = (value: number | undefined): number | undefined =>
  value === undefined || Math.abs(value) >= 2_147_483_647 ? undefined : value;

const fieldOf = (name: string, schema: Schema): Field => {
  const { anyOf = [], description = '' } = schema;
  const what = anyOf.find(({ type }) => type !== 'null') ?? schema;
  const [, from] = /(?:; )?from firmware v0\.(\d+)/.exec(description) ?? [];
  const [, until] = /(?:; |, )?not as of v0\.(\d+)/.exec(description) ?? [];
  const [min, max] = what.type === 'string' ? [] : [bound(what.minimum), bound(what.maximum)];
  return {
    name,
    kind: kindOf(what),
    note: description.replace(/;? ?(?:from firmware|not as of) v0\..*$/, ''),
    byDefault: schema.default ?? null,
    isNullable: anyOf.some(({ type }) => type === 'null'),
    choices: what.enum ?? [],
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(from !== undefined && { from: Number(from) }),
    ...(until !== undefined && { until: Number(until) }),
  };
};

const follow = ({ components }: Document, schema: Schema): Schema =>
  schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

/** The fields that a PUT to that path takes, by the contract. */
export const fieldsAt = (document: Document, path: string): Field[] => {
  const schema = document.paths[path]?.put?.requestBody?.content['application/json']?.schema ?? {};
  return Object.entries(follow(document, schema).properties ?? {}).map(([name, one]) => fieldOf(name, one));
};

/** The OpenAPI document: the contract that the forms are made of. */
export const documentQuery = queryOptions({
  queryKey: ['openapi'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await ok(api.GET('/openapi.json'))) as unknown as Document,
});
