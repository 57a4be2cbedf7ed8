import { followFall } from '#shared/api/acknowledgements.ts';
import type { acknowledging } from '#shared/api/operation.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { composeDeps, type Deps, type Runtime } from '#shared/runtime/deps.ts';
import { auditedTable, withRecorder } from '#shared/store/engine/audited-table.ts';
import { auditedBatch } from '#shared/store/engine/audited-writes.ts';
import { unansweredFalls } from './room-states.ts';

const uses = ['states.get', 'falls.acknowledge', 'fallAnswers.settle', 'enqueue:events'] as const;
type AcknowledgeDeps = Deps<(typeof uses)[number] | (typeof acknowledging)[number]>;

/** The actor recorded for acknowledgements, because there is no way to know who pressed the button. */
const ACTOR: Actor = { kind: 'home_assistant', id: null, name: 'Home Assistant' };

const acknowledgeAll = async (deps: AcknowledgeDeps, customerId: number, sensorId: string): Promise<void> => {
  const { store, now } = deps;
  const state = await store.states.get(customerId, sensorId);
  for (const fall of state ? unansweredFalls(state) : []) {
    const ref = { customerId, sensorId, fall };
    const { notice } = await store.falls.acknowledge(ref, { userId: null, name: ACTOR.name ?? '', date: now() });
    if (notice) await followFall(deps, ref, notice);
  }
};

/**
 * Returns the handler for the Home Assistant button, which acknowledges all falls shown for a sensor. Writes a line
 * with the broker address to the audit log, unless there was nothing to acknowledge.
 */
export const createAcknowledge = async (runtime: Runtime, address: string) => {
  const { table, now, random, failpoint = () => {} } = runtime;
  const deps = await composeDeps({ ...runtime, table: auditedTable(table) }, uses);
  return async (customerId: number, sensorId: string): Promise<void> => {
    const { writes, settle } = auditedBatch({
      table,
      now,
      failpoint,
      canOpenGaps: false,
      readBefore: () => undefined,
      lineFor: () => ({
        customerId,
        line: {
          id: auditIdOf(now(), random(6)),
          actor: ACTOR,
          address,
          operation: 'acknowledgeFall',
          object: { kind: 'sensor', id: sensorId },
          changes: [],
          requestId: randomUuid(random),
          refused: false,
        },
      }),
    });
    await withRecorder({ ...writes, noteRead: () => {} }, () => acknowledgeAll(deps, customerId, sensorId));
    await settle();
  };
};
