import { alarmChecks } from '#shared/api/alarm-check.ts';
import type { Decision } from '#shared/domain/event/decision.ts';
import { fallOfEvent } from '#shared/domain/event/fall-key.ts';
import { isAcknowledged } from '#shared/domain/state/answers.ts';
import { type ProcessDeps, type SensorContext, type SensorKey, sensorKey } from './context.ts';
import { enqueueChecks } from './hits.ts';

/**
 * Updates the alarms of a fall to match what people did about it. All earlier decisions have been applied, so no alarm
 * is missed. The sweep continues escalations that lost their acknowledgement.
 */
export const settleFall = async (deps: ProcessDeps, key: SensorKey, fall: string): Promise<void> => {
  const { store, now, settings } = deps;
  const { customerId } = key;
  for (const hit of await store.fallAnswers.settle({ ...key, fall }, now())) {
    const at = Math.max(now(), hit.createDate + settings.UNNOTIFIED_AFTER_SECONDS * 1_000);
    await enqueueChecks(deps, alarmChecks(customerId, hit, at));
  }
};

/** Acknowledges the new hits of falls that somebody has acknowledged already. Their first recipients are notified all the same. */
export const settleAcknowledged = async (
  deps: ProcessDeps,
  context: SensorContext,
  { decided }: Decision,
): Promise<void> => {
  const { state } = context;
  const fired = decided.filter(({ rules }) => rules.length > 0);
  const falls = new Set(fired.flatMap((event) => fallOfEvent(event) ?? []));
  for (const fall of falls) if (isAcknowledged(state, fall)) await settleFall(deps, sensorKey(context), fall);
};
