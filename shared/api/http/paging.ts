import * as z from 'zod';
import { anyText, int64, integerQuery, text } from '#shared/domain/values.ts';

export const PER_PAGE_MAXIMUM = 200;
const PER_PAGE_DEFAULT = 30;

/** The query parameters of every paged list: page >= 0, and perPage >= 1, silently capped at 200 (D1 O7 rule 7). */
export const pageQuery = {
  page: integerQuery(z.int().min(0)).default(0).meta({ description: 'page number, starting at 0' }),
  perPage: integerQuery(
    z
      .number()
      .transform((n) => Math.min(n, PER_PAGE_MAXIMUM))
      // `z.int()` would add a maximum to the described schema, but the API has none.
      .pipe(z.number().min(1).meta({ type: 'integer' })),
  )
    .default(PER_PAGE_DEFAULT)
    .meta({ description: `items per page, at most ${PER_PAGE_MAXIMUM}; larger values are reduced` }),
};

/**
 * The query parameters for a list read in bounded parts, one per request (store/engine/bounded-page.ts). `after`: the
 * schema for the list ids.
 */
export const partialListQuery = <T extends z.ZodType>(after: T) => ({
  ...pageQuery,
  after: after.optional().meta({
    description: "continues the list after the entry with this id; taken from a response's `Link` header",
  }),
});

/** The response headers for a list read in bounded parts. */
export const partialListHeaders = {
  describedHeaders: { 'X-Total-Is': '`exact`, or `at-least` if `total` counts only the entries read so far' },
  optionalHeaders: { Link: 'Query for the next page, if there is one: `<?page=1>; rel="next"`' },
} as const;

/** Describes a list read in bounded parts: how many entries are always counted, and the maximum read per request. */
export const partialListDescription = (counted: string, maximum: string): string =>
  `\`total\` is exact up to ${counted} entries, and \`page\` reaches at most the first ${maximum}. ` +
  'Follow the `Link` header to continue.';

export const searchParameter = anyText
  .default('')
  .meta({ description: 'text the entries must contain; not case-sensitive' });

const SENSOR_ID_MAXIMUM = 26;
const LONGEST_URL = 65_536;
/**
 * A sensor in a list query, or empty for all sensors. Other values match nothing, and values longer than an id never
 * become part of a table key.
 */
export const sensorParameter = text(0, LONGEST_URL)
  .transform((id) => (id.length > SENSOR_ID_MAXIMUM ? 'none' : id))
  .default('')
  .meta({ description: 'only entries for this sensor; empty for all sensors' });

type Sort<F extends string> = `${'asc' | 'desc'}(${F})`;

/** Returns the sort order schema, with `asc(x)` and `desc(x)` for each field. */
export const sortBy = <const F extends string>(fields: readonly F[], byDefault: NoInfer<Sort<F>>) =>
  z
    .literal<Sort<F>[]>(fields.flatMap((field): Sort<F>[] => [`asc(${field})`, `desc(${field})`]))
    .default(() => byDefault as never)
    .meta({ description: 'sort order; ties are broken by id' });

/** Returns the schema for a page (D1), which is an array containing a single page object. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.array(z.object({ total: int64, page: int64, perPage: int64, data: z.array(item) })).length(1);
