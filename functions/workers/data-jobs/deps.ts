import type { Deps } from '#shared/runtime/deps.ts';
import type { dataJobs } from './contract.ts';

export type JobDeps = Deps<(typeof dataJobs)['uses'][number]>;
