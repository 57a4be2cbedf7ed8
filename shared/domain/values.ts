import * as z from 'zod';

/**
 * An int64 from 0 to 2^53-1, the integers that JSON can represent exactly (D1 "Conventions"). `z.int()` only accepts
 * safe integers.
 */
export const int64 = z.int().min(0);
/** Milliseconds since the Unix epoch, UTC. */
export const millis = int64;
/** An id for an account, customer, rule, group or hit: int64 >= 1. */
export const id = z.int().min(1);
/** Returns the schema for an int32 with bounds. */
export const int32 = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));

// Control characters, line separators and non-characters break logs, exports and nurse-call displays. Characters that
// embed, override or isolate a direction make one string look like another. Lone surrogates have no UTF-8 form.
const invalidCharacter = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]/u;
/** Whether a string contains no forbidden characters. */
export const isValidText = (value: string): boolean => !invalidCharacter.test(value);
/** Returns a string with each forbidden character replaced by `replacement`. */
export const toValidText = (value: string, replacement = ''): string =>
  [...value].map((char) => (isValidText(char) ? char : replacement)).join('');
/**
 * The pattern for text in the API document. Regex engines in generated clients support neither surrogates nor `u`
 * escapes, so the pattern allows more than the service accepts. The document's conventions describe the remaining
 * restrictions.
 */
export const validTextPattern = { pattern: String.raw`^[^\x00-\x1f]*$` } as const;

/** Returns the number of code points in a string. */
export const lengthOf = (value: string): number => [...value].length;

/** Returns the schema for text with min..max code points and no forbidden characters. */
export const text = (min: number, max: number) =>
  z
    .string()
    .check((ctx) => {
      const { value, issues } = ctx;
      const length = lengthOf(value);
      if (!isValidText(value)) issues.push({ code: 'custom', input: value, params: { key: 'text_characters' } });
      else if (length < min || length > max)
        issues.push({ code: 'custom', input: value, params: { key: 'text_length', min, max } });
    })
    .meta({ minLength: min, maxLength: max, ...validTextPattern });

/** Returns the schema for text in responses. Text stored before some characters were forbidden may contain them. */
export const storedText = (min: number, max: number) =>
  z.string().meta({ minLength: min, maxLength: max, ...validTextPattern });

/** Any text from a client, such as a search. */
export const anyText = text(0, 1_024);

export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/)
  .meta({ format: 'uuid' })
  .transform((value) => value.toLowerCase())
  .pipe(z.string().meta({ format: 'uuid' }));

/** Returns the schema for an optional field that treats an invalid value as missing. */
export const optionalField = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const integerText = z.string().regex(/^(0|[1-9]\d{0,15})$/);

/** Removes the numeric keywords from the document where the value is a string. */
const noNumber = { format: undefined, minimum: undefined, maximum: undefined } as const;

/** An id in a path or query, in canonical decimal form. */
export const idText = integerText.transform(Number).pipe(id);
/** A user id, or `me`. The document declares a string, because few client generators support two types. */
export const userIdText = (description = 'Id of the user, or `me`') =>
  idText.meta({ description, type: 'string', pattern: '^(me|[1-9][0-9]*)$', ...noNumber });
/** An id in a path or query, or 0 for "no customer". */
export const idOrZeroText = integerText.transform(Number).pipe(int64);
export const integerQuery = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number)
    .pipe(schema);

/** A body other than JSON, such as an image or a page. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The response to deletions, links and other operations without a result (D1 "Endpoints"). */
export const Status = z.object({ status: z.literal('OK') }).meta({ id: 'Status' });
