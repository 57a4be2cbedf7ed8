import { queryOptions } from '@tanstack/react-query';
import { ok, Problem } from '#lib/client/problem.ts';
import type { Import, ImportResult } from '#openapi';
import { api } from '../api/client.ts';
import type { Kind } from './template.ts';

type RowError = Import['errors'][number];

type File = { customerId: number; kind: Kind; text: string };

/** Uploads a file, either to import it or only to check it. */
export const sendFile = ({ customerId, kind, text }: File, isDryRun: boolean): Promise<ImportResult> =>
  ok(
    api.POST('/customers/{customerId}/imports', {
      params: { path: { customerId }, query: { kind, dryRun: isDryRun ? 'true' : 'false' } },
      headers: { 'Content-Type': 'text/csv' },
      // The OpenAPI document describes both JSON rows and a CSV file; the client is typed for the rows.
      body: text as never,
      bodySerializer: (body) => body as unknown as string,
    }),
  );

/** Returns the row errors in a response; errors about the file itself have no row. */
export const rowErrorsIn = (error: unknown): (Omit<RowError, 'row'> & { row: number | null })[] =>
  error instanceof Problem
    ? error.faults.map((fault) => {
        const { row = null, field = '' } = fault as Partial<RowError>;
        return { row, field, message: fault.message };
      })
    : [];

/** How often (ms) a running import is polled. */
const POLL_MS = 1_000;

export const importQuery = (customerId: number, importId: string | null) =>
  queryOptions({
    queryKey: ['import', customerId, importId],
    queryFn: () => {
      const path = { customerId, importId: importId ?? '' };
      return ok(api.GET('/customers/{customerId}/imports/{importId}', { params: { path } }));
    },
    enabled: importId !== null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
