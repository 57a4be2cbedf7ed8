import * as z from 'zod';
import { anyText, int64, integerQuery, text } from '#shared/domain/values.ts';

export const PER_PAGE_MAXIMUM = 200;
const PER_PAGE_DEFAULT = 30;

/** The query of every paged list: page >= 0, perPage >= 1, silently reduced to 200 (D1 O7 rule 7). */
export const pageQuery = {
  page: integerQuery(z.int().min(0)).default(0).meta({ description: 'the page, counted from 0' }),
  perPage: integerQuery(
    z
      .number()
      .transform((n) => Math.min(n, PER_PAGE_MAXIMUM))
      // `z.int()` would add a maximum to the described schema, and there is none.
      .pipe(z.number().min(1).meta({ type: 'integer' })),
  )
    .default(PER_PAGE_DEFAULT)
    .meta({ description: `the length of a page; more than ${PER_PAGE_MAXIMUM} is reduced to ${PER_PAGE_MAXIMUM}` }),
};

/**
 * The query of a list of which one call looks at a bounded part (store/engine/look.ts). `after` is the schema of the list's
 * ids.
 */
export const lookedQuery = <T extends z.ZodType>(after: T) => ({
  ...pageQuery,
  after: after
    .optional()
    .meta({ description: 'continues the list after the entry with this id, as the header `Link` of an answer tells' }),
});

/** The headers of the answers of such a list. */
export const lookedHeaders = {
  describedHeaders: { 'X-Total-Is': '`exact`, or `at-least` if `total` counts only the entries that were looked at' },
  optionalHeaders: { Link: 'Leads to the next page if there is one: `<?page=1>; rel="next"`' },
} as const;

/** Describes such a list: how many items are always counted, and how many one call looks at. */
export const lookedText = (counted: string, most: string): string =>
  `One call looks at a bounded part of the list: \`total\` is exact up to ${counted}, and pages reach as far as ` +
  `${most}. After that, the header \`Link\` leads on.`;

export const search = anyText.default('').meta({ description: 'what names or other texts must contain, in any case' });

const SENSOR_ID_MAXIMUM = 26;
const LONGEST_URL = 65_536;
/**
 * A sensor in the query of a list; empty: all sensors. What is no id of a sensor matches nothing, and nothing longer
 * than an id gets into a key of the table.
 */
export const sensorOfList = text(0, LONGEST_URL)
  .transform((given) => (given.length > SENSOR_ID_MAXIMUM ? 'none' : given))
  .default('')
  .meta({ description: 'only what is about this sensor; empty: all' });

type Sort<F extends string> = `${'asc' | 'desc'}(${F})`;

/** Makes the query parameter for the order, with `asc(x)` and `desc(x)` for each field. */
export const sortBy = <const F extends string>(fields: readonly F[], byDefault: NoInfer<Sort<F>>) =>
  z
    .literal<Sort<F>[]>(fields.flatMap((field): Sort<F>[] => [`asc(${field})`, `desc(${field})`]))
    .default(() => byDefault as never)
    .meta({ description: 'the order; ties are broken by id' });

/** Makes the schema of a paged answer (D1): an array with one page object. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.array(z.object({ total: int64, page: int64, perPage: int64, data: z.array(item) })).length(1);
