import type { Call } from '#shared/api/operation.ts';
import type { LimitName } from '#shared/domain/identity/quota.ts';
import type { ImportStep, RowProblem } from '#shared/domain/import/import-job.ts';
import type { ImportRow } from '#shared/domain/import/import-view.ts';
import type { Problem } from '#shared/domain/problem.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { imports } from './contract.ts';

type Operation = (typeof imports)['operations']['createImport'];
export type ImportCall = Call<Operation>;
export type ImportDeps = Deps<Operation['uses'][number]>;

/** What an import would do. `limit`: the quota it would exceed. `steps` generates ids, so dry runs do not call it. */
export type ImportPlan = {
  created: number;
  updated: number;
  problems: RowProblem[];
  limit: { of: LimitName; most: number } | null;
  steps: () => Promise<ImportStep[]>;
};

/** The numbered rows in an import, and the request that sent them. */
export type Planning = {
  call: Pick<ImportCall, 'caller' | 'customerId'>;
  deps: ImportDeps;
  rows: readonly NumberedRow[];
};
export type NumberedRow = { row: number; cells: ImportRow };

/** Collects the problems in a row. */
export const problemsOf = (row: number) => {
  const problems: RowProblem[] = [];
  const add = (field: string, problem: Problem, values?: RowProblem['values']): void => {
    problems.push({ row, field, problem, ...(values && { values }) });
  };
  return { problems, add };
};

/** Creates a function that returns the earlier row with the same key, or null if there is none. */
export const createOnce = () => {
  const seen = new Map<string, number>();
  return (key: string, row: number): number | null => {
    const first = seen.get(key) ?? null;
    if (first === null) seen.set(key, row);
    return first;
  };
};
