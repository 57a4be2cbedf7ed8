import * as z from 'zod';
import { int32, text, toValidText } from '../values.ts';

/**
 * One field of a configuration: its schema, its default, its description in OpenAPI, and the firmware versions that
 * support it. `from` and `until` are the N of firmware v0.N: `from` is the first with support, `until` the first
 * without.
 */
type Field<T = unknown> = Support & { schema: () => z.ZodType<T>; byDefault: T; note: string };
type Support = { from?: number; until?: number };

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 } as const;

/**
 * Declares a field. Its schema is created on first use: most functions only pass values on, and creating the schemas of
 * all fields would take half of their startup time.
 */
export const field = <T>(create: () => z.ZodType<T>, byDefault: T, note: string, support: Support = {}): Field<T> => {
  let created: z.ZodType<T> | undefined;
  const schema = () => {
    created ??= create();
    return created;
  };
  return { schema, byDefault, note, ...support };
};

export const booleanField = (byDefault: boolean, note: string, support: Support = {}): Field<boolean> =>
  field(() => z.boolean(), byDefault, note, support);

/** Declares an int32 field. Without bounds it allows all int32 values. */
export const integerField = (
  byDefault: number,
  note: string,
  { min = INT32.min, max = INT32.max, ...support }: Support & { min?: number; max?: number } = {},
): Field<number> => field(() => int32(min, max), byDefault, note, support);

/** Declares a field with a choice of numbers or strings. */
export const choiceField = <const C extends readonly [string | number, ...(string | number)[]]>(
  choices: C,
  byDefault: NoInfer<C[number]>,
  note: string,
  support: Support = {},
): Field<C[number]> => field(() => z.literal(choices) as z.ZodType<C[number]>, byDefault, note, support);

/** Declares a text field of min..max code points. */
export const textField = (
  [min, max]: readonly [min: number, max: number],
  byDefault: string,
  note: string,
  support: Support = {},
) => field<string>(() => text(min, max), byDefault, note, support);

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = String.raw`^(?:${LABEL}\.)*(?![0-9]+$)${LABEL}$`;
/** Returns the schema of a host: a name of 1..253 ASCII characters, or an IP address. */
export const hostSchema = () => {
  // The document has a pattern that every regex engine understands; it allows more than is accepted.
  const name = z.string().max(253).regex(new RegExp(HOST)).meta({ pattern: '^[A-Za-z0-9.-]{1,253}$' });
  return z.union([name, z.ipv4(), z.ipv6()]);
};

/** Declares a field with a host name or an IP address. */
export const hostField = (byDefault: string, note: string, support: Support = {}): Field<string> =>
  field<string>(hostSchema, byDefault, note, support);

export type Fields = Readonly<Record<string, Field>>;
export type ConfigValues<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Returns the values of a configuration before its first PUT. */
export const defaultsOf = <F extends Fields>(fields: F): ConfigValues<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { byDefault }]) => [name, byDefault])) as ConfigValues<F>;

/** The console parses this text. */
const supportText = ({ from, until }: Support): string =>
  [from && `from firmware v0.${from}`, until && `not as of v0.${until}`].filter(Boolean).join(', ');

/** Returns the stored values, and the default for each value that is missing or no longer allowed. */
export const validValues = <F extends Fields>(fields: F, stored: Partial<ConfigValues<F>> | null): ConfigValues<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, byDefault }]) => {
      const value = stored?.[name];
      // A name stored before its characters were restricted is still valid.
      const { success, data } = schema().safeParse(typeof value === 'string' ? toValidText(value) : value);
      return [name, success ? data : byDefault];
    }),
  ) as ConfigValues<F>;

type Shape<F extends Fields> = { [K in keyof F]: z.ZodType<ConfigValues<F>[K], ConfigValues<F>[K]> };

/** Returns the schema of a configuration. All fields are required for every firmware version. */
export const schemaOf = <F extends Fields>(fields: F): z.ZodObject<Shape<F>> => {
  const shape = Object.entries(fields).map(([name, field]) => {
    const description = [field.note, supportText(field)].filter(Boolean).join('; ');
    return [name, field.schema().meta({ description, default: field.byDefault })];
  });
  return z.object(Object.fromEntries(shape)).meta({ examples: [defaultsOf(fields)] }) as z.ZodObject<Shape<F>>;
};

const isSupported = ({ from = 0, until = Number.POSITIVE_INFINITY }: Support, firmware: number): boolean =>
  firmware >= from && firmware < until;

/** Returns the fields of a configuration that a device with this firmware supports. */
export const supportedFields = <F extends Fields>(
  fields: F,
  values: ConfigValues<F>,
  firmware: number,
): Partial<ConfigValues<F>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isSupported(field, firmware) ? [[name, values[name as keyof F]]] : [],
    ),
  ) as Partial<ConfigValues<F>>;
