import * as z from 'zod';
import { jobIdText } from '../domain/identity/data-job-view.ts';
import { jobKinds } from '../domain/identity/job-kinds.ts';
import { CustomerId, traceFields } from './task-fields.ts';

/** Runs or continues an export or erasure of personal data. */
export const RunJob = z.object({
  type: z.literal('run_job'),
  customerId: CustomerId,
  ...traceFields,
  kind: z.enum(jobKinds),
  jobId: jobIdText,
});
export type RunJob = z.output<typeof RunJob>;
