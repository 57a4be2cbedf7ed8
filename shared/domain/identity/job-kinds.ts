/** The kinds of jobs on people's data. */
export const jobKinds = ['export', 'erasure'] as const;
export type JobKind = (typeof jobKinds)[number];

/** The task that runs a job, or continues it. */
export const runJob = ({ customerId, kind, id }: { customerId: number; kind: JobKind; id: string }) =>
  ({ type: 'run_job', customerId, kind, jobId: id }) as const;
