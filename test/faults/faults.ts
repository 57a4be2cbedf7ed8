import type { Fault } from './fault.ts';
import { ofOperators } from './kinds/operators.ts';
import { ofProcesses } from './kinds/processes.ts';
import { ofQueue } from './kinds/queue.ts';
import { ofReceivers } from './kinds/receivers.ts';
import { ofTable } from './kinds/table.ts';

/** All of them, by what goes wrong. */
export const kinds = {
  processes: ofProcesses,
  table: ofTable,
  queues: ofQueue,
  receivers: ofReceivers,
  operators: ofOperators,
} as const;
export const faults: readonly Fault[] = Object.values(kinds).flat();
