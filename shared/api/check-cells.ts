import type * as z from 'zod';
import type { RowProblem } from '../domain/import/import-job.ts';
import { fieldErrorsOf } from './field-errors.ts';

/** Checks a row against a schema. `columnOf` maps a field to its column. */
export const checkCells = <T extends z.ZodType>(
  row: number,
  schema: T,
  cells: Readonly<Record<string, unknown>>,
  columnOf: (field: string) => string = (field) => field,
): { value: z.output<T> } | { problems: RowProblem[] } => {
  const result = schema.safeParse(cells, { reportInput: true });
  if (result.success) return { value: result.data };
  const problems = fieldErrorsOf(result.error.issues).map(({ path, problem, values }) => ({
    row,
    field: columnOf(path.split('.')[0] ?? ''),
    problem,
    ...(values && { values }),
  }));
  return { problems };
};
