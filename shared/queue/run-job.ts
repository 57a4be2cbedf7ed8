import * as z from 'zod';
import { jobIdText } from '../domain/identity/data-job-view.ts';
import { jobKinds } from '../domain/identity/job-kinds.ts';
import { CustomerId, traced } from './task-fields.ts';

/** Runs a job on people's data, or continues it. */
export const RunJob = z.object({
  type: z.literal('run_job'),
  customerId: CustomerId,
  ...traced,
  kind: z.enum(jobKinds),
  jobId: jobIdText,
});
export type RunJob = z.output<typeof RunJob>;
