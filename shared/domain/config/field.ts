import * as z from 'zod';
import { int32, text } from '../values.ts';

/**
 * One field of a configuration: its schema, its default, its description in OpenAPI, and the firmwares that support it.
 * `from` and `until` are the N of firmware v0.N: `from` is the first that supports the field, `until` the first that no
 * longer does.
 */
type Field<T = unknown> = Support & { schema: () => z.ZodType<T>; byDefault: T; note: string };
type Support = { from?: number; until?: number };

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 } as const;

/**
 * Declares a field. Its schema is made when it is first asked for: most functions only hand values on, and the schemas
 * of all fields would be half of what they make at their start.
 */
export const field = <T>(make: () => z.ZodType<T>, byDefault: T, note: string, support: Support = {}): Field<T> => {
  let made: z.ZodType<T> | undefined;
  const schema = () => {
    made ??= make();
    return made;
  };
  return { schema, byDefault, note, ...support };
};

export const flag = (byDefault: boolean, note: string, support: Support = {}): Field<boolean> =>
  field(() => z.boolean(), byDefault, note, support);

/** Declares an int32 field. Without bounds it allows all int32 values. */
export const whole = (
  byDefault: number,
  note: string,
  { min = INT32.min, max = INT32.max, ...support }: Support & { min?: number; max?: number } = {},
): Field<number> => field(() => int32(min, max), byDefault, note, support);

/** Declares a field with a choice of numbers or words. */
export const choice = <const C extends readonly [string | number, ...(string | number)[]]>(
  choices: C,
  byDefault: NoInfer<C[number]>,
  note: string,
  support: Support = {},
): Field<C[number]> => field(() => z.literal(choices) as z.ZodType<C[number]>, byDefault, note, support);

/** Declares a field with a text of so many characters. */
export const words = (
  [min, max]: readonly [min: number, max: number],
  byDefault: string,
  note: string,
  support: Support = {},
) => field<string>(() => text(min, max), byDefault, note, support);

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = String.raw`^(?:${LABEL}\.)*(?![0-9]+$)${LABEL}$`;
/** Makes the schema of the name of a host, 1..253 ASCII characters, or its IP address. */
export const host = () => {
  // In the document a pattern that every engine reads, and that says less than is checked.
  const name = z.string().max(253).regex(new RegExp(HOST)).meta({ pattern: '^[A-Za-z0-9.-]{1,253}$' });
  return z.union([name, z.ipv4(), z.ipv6()]);
};

/** Declares a field with the name of a host or its IP address. */
export const hostField = (byDefault: string, note: string, support: Support = {}): Field<string> =>
  field<string>(host, byDefault, note, support);

export type Fields = Readonly<Record<string, Field>>;
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Gives the values of a configuration before its first PUT. */
export const defaultsOf = <F extends Fields>(fields: F): Values<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { byDefault }]) => [name, byDefault])) as Values<F>;

const supportText = ({ from, until }: Support): string =>
  [from && `from firmware v0.${from}`, until && `not as of v0.${until}`].filter(Boolean).join(', ');

/** Gives stored values, and the default for each value that is missing or no longer allowed. */
export const stillAllowed = <F extends Fields>(fields: F, stored: Partial<Values<F>> | null): Values<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, byDefault }]) => {
      const { success, data } = schema().safeParse(stored?.[name]);
      return [name, success ? data : byDefault];
    }),
  ) as Values<F>;

type Shape<F extends Fields> = { [K in keyof F]: z.ZodType<Values<F>[K], Values<F>[K]> };

/** Makes the schema of a configuration. All fields are required, whatever the firmware. */
export const schemaOf = <F extends Fields>(fields: F): z.ZodObject<Shape<F>> => {
  const shape = Object.entries(fields).map(([name, field]) => {
    const description = [field.note, supportText(field)].filter(Boolean).join('; ');
    return [name, field.schema().meta({ description, default: field.byDefault })];
  });
  return z.object(Object.fromEntries(shape)).meta({ examples: [defaultsOf(fields)] }) as z.ZodObject<Shape<F>>;
};

const isSupported = ({ from = 0, until = Number.POSITIVE_INFINITY }: Support, firmware: number): boolean =>
  firmware >= from && firmware < until;

/** Gives the fields of a configuration that a device with this firmware supports. */
export const understood = <F extends Fields>(fields: F, values: Values<F>, firmware: number): Partial<Values<F>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isSupported(field, firmware) ? [[name, values[name as keyof F]]] : [],
    ),
  ) as Partial<Values<F>>;
