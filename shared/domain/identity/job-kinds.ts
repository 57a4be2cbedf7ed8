/** Job kinds for processing personal data. */
const jobKinds = ['export', 'erasure'] as const;
export type JobKind = (typeof jobKinds)[number];

/** Job kinds that run in the background. */
export const backgroundKinds = [...jobKinds, 'import'] as const;
export type BackgroundKind = (typeof backgroundKinds)[number];

/** Returns the task that starts or continues a job. */
export const runJobTask = ({ customerId, kind, id }: { customerId: number; kind: BackgroundKind; id: string }) =>
  ({ type: 'run_job', customerId, kind, jobId: id }) as const;
