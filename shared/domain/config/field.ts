import * as z from 'zod';
import { int32, text, toValidText } from '../values.ts';

/**
 * A configuration field: schema, default, OpenAPI description, and the firmware versions supporting it. `from` and
 * `until` are the N in firmware v0.N: `from` is the first version with support, `until` the first without.
 */
type Field<T = unknown> = Support & { schema: () => z.ZodType<T>; byDefault: T; note: string };
type Support = { from?: number; until?: number };

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 } as const;

/**
 * Declares a field. The schema is created on first use: most functions only pass values on, and creating every schema
 * would take half of their startup time.
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

/** Declares an int32 field. Without bounds, it allows any int32. */
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

/** Declares a text field with min..max code points. */
export const textField = (
  [min, max]: readonly [min: number, max: number],
  byDefault: string,
  note: string,
  support: Support = {},
) => field<string>(() => text(min, max), byDefault, note, support);

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = String.raw`^(?:${LABEL}\.)*(?![0-9]+$)${LABEL}$`;
/** Returns the schema for a host: a name (1..253 ASCII characters) or an IP address. */
export const hostSchema = () => {
  // The documented pattern works in every regex engine, but allows more than the service accepts.
  const name = z.string().max(253).regex(new RegExp(HOST)).meta({ pattern: '^[A-Za-z0-9.-]{1,253}$' });
  return z.union([name, z.ipv4(), z.ipv6()]);
};

/** Declares a field with a host name or an IP address. */
export const hostField = (byDefault: string, note: string, support: Support = {}): Field<string> =>
  field<string>(hostSchema, byDefault, note, support);

export type Fields = Readonly<Record<string, Field>>;
export type ConfigValues<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Returns the configuration values before the first PUT. */
export const defaultsOf = <F extends Fields>(fields: F): ConfigValues<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { byDefault }]) => [name, byDefault])) as ConfigValues<F>;

/** The console parses this text. */
const supportText = ({ from, until }: Support): string =>
  [from && `from firmware v0.${from}`, until && `not as of v0.${until}`].filter(Boolean).join(', ');

/** Returns the stored values, with defaults for values that are missing or no longer allowed. */
export const validValues = <F extends Fields>(fields: F, stored: Partial<ConfigValues<F>> | null): ConfigValues<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, byDefault }]) => {
      const value = stored?.[name];
      // Names stored before their characters were restricted are still valid.
      const { success, data } = schema().safeParse(typeof value === 'string' ? toValidText(value) : value);
      return [name, success ? data : byDefault];
    }),
  ) as ConfigValues<F>;

type Shape<F extends Fields> = { [K in keyof F]: z.ZodType<ConfigValues<F>[K], ConfigValues<F>[K]> };

/** Returns the schema for a configuration. All fields are required, whatever the firmware version. */
export const schemaOf = <F extends Fields>(fields: F): z.ZodObject<Shape<F>> => {
  const shape = Object.entries(fields).map(([name, field]) => {
    const description = [field.note, supportText(field)].filter(Boolean).join('; ');
    return [name, field.schema().meta({ description, default: field.byDefault })];
  });
  return z.object(Object.fromEntries(shape)).meta({ examples: [defaultsOf(fields)] }) as z.ZodObject<Shape<F>>;
};

const isSupported = ({ from = 0, until = Number.POSITIVE_INFINITY }: Support, firmware: number): boolean =>
  firmware >= from && firmware < until;

/** Returns the configuration fields supported by a device with this firmware. */
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
