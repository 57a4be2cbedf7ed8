import * as z from 'zod';

/** int64, 0..2^53-1: what JSON carries exactly (D1 "Conventions"). `z.int()` is a safe integer. */
export const int64 = z.int().min(0);
/** Milliseconds since the Unix epoch, UTC. */
export const millis = int64;
/** Ids of accounts, customers, rules, groups, hits: int64 >= 1. */
export const id = z.int().min(1);
/** int32 with bounds. */
export const int32 = (min: number, max: number) => z.int().min(min).max(max);

// C0 controls and non-characters break logs, exports and nurse-call displays; a lone surrogate has no UTF-8 form.
export const isUnfit = (character: string): boolean => {
  const point = character.codePointAt(0) ?? 0;
  return point < 0x20 || (point >= 0xd800 && point <= 0xdfff) || point === 0xfffe || point === 0xffff;
};

/** Text of min..max code points, free of C0 controls, lone surrogates, U+FFFE and U+FFFF. */
export const text = (min: number, max: number) =>
  z
    .string()
    .check((ctx) => {
      const characters = [...ctx.value];
      const { length } = characters;
      const problem = characters.some(isUnfit)
        ? { key: 'text_characters' as const }
        : length < min || length > max
          ? { key: 'text_length' as const, min, max }
          : undefined;
      if (problem) ctx.issues.push({ code: 'custom', input: ctx.value, params: problem });
    })
    .meta({ minLength: min, maxLength: max });

/** Any text a client may send where only its being text matters, such as a search. */
export const anyText = text(0, 1_024);

export const email = z.union([z.literal(''), z.email().max(254)]).meta({ description: 'an e-mail address, or empty' });

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
  .transform((value) => value.toLowerCase())
  .pipe(z.string().meta({ format: 'uuid' }));

/** What a device may leave out: when it cannot be read, it is left out. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const integerText = z.string().regex(/^(0|[1-9]\d{0,15})$/);

/** An id in a path or query: canonical decimal text. */
export const idText = integerText.transform(Number).pipe(id);
export const integerQuery = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^-?\d{1,32}$/)
    .transform(Number)
    .pipe(schema);

/** Bytes that are no JSON: a picture, a page. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The answer to deletions, links and other acts without a result (D1 "Endpoints"). */
export const Status = z.object({ status: z.literal('OK') }).meta({ id: 'Status' });
