import * as z from 'zod';
import { jobIdText } from '../domain/identity/data-job-view.ts';
import { backgroundKinds } from '../domain/identity/job-kinds.ts';
import { CustomerId, traceFields } from './task-fields.ts';

/** Runs or continues an export, an erasure or an import. */
export const RunJob = z.object({
  type: z.literal('run_job'),
  customerId: CustomerId,
  ...traceFields,
  kind: z.enum(backgroundKinds),
  jobId: jobIdText,
});
export type RunJob = z.output<typeof RunJob>;
