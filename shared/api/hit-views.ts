import type * as z from 'zod';
import { notifiedDateOf } from '../domain/rule/alarm.ts';
import type { RuleHit } from '../domain/rule/rule-hit.ts';
import type { Sensor } from '../domain/sensor/sensor.ts';
import type { HitItem } from '../store/hits/hit-item.ts';
import type { StoreOf } from '../store/store.ts';

/** A hit as returned by an operation, before its schema fills in the defaults. */
export type HitView = z.input<typeof RuleHit>;

/**
 * With more sensors than this, listing all the customer's sensors is cheaper than reading each one, unless there are
 * thousands.
 */
const MAX_SINGLE_READS = 20;

/** Returns views of hits, each with the current sensor, which is null if it was deleted. */
export const hitViews = async (
  store: StoreOf<'sensors.getAll' | 'sensors.list'>,
  customerId: number,
  hits: readonly HitItem[],
): Promise<HitView[]> => {
  const ids = [...new Set(hits.map(({ sensorId }) => sensorId))];
  const { getAll, list } = store.sensors;
  const listed: Sensor[] = ids.length > MAX_SINGLE_READS ? await list(customerId) : [];
  // The list may lag, so sensors missing from it may still exist.
  const others = ids.filter((id) => !listed.some((sensor) => sensor.id === id));
  const found = [...listed, ...(others.length > 0 ? await getAll(customerId, others) : [])];
  const sensors = new Map(found.map((sensor) => [sensor.id, sensor]));
  return hits.map(({ messages, ...hit }) => ({
    ...hit,
    ruleMessages: messages,
    allSend: !hit.nobodyOnDuty && messages.length > 0 && messages.every(({ wasSend }) => wasSend),
    notifiedDate: notifiedDateOf({ ...hit, messages }),
    unansweredDate: hit.unansweredDate ?? null,
    sensor: sensors.get(hit.sensorId) ?? null,
    feedback: hit.feedback ?? null,
    nobodyOnDuty: hit.nobodyOnDuty ?? false,
    acknowledgement: hit.acknowledgement ?? null,
    closure: hit.closure ?? null,
  }));
};
