import type { FloorPlan } from '#shared/domain/sensor/floor-plan.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { present } from '../engine/request.ts';
import { items } from '../table.ts';

type GroupKey = { customerId: number; groupId: number };

export const floorPlanReads = (table: TableReader) => ({
  /** Returns a group plan as it was set. It may include sensors that have since left the group. */
  get: async (group: GroupKey): Promise<FloorPlan | null> => {
    const found = await table.get<FloorPlan>(items.floorPlan(group));
    return found && { width: found.width, height: found.height, rooms: found.rooms };
  },
});

const floorPlanWrites = (table: Table) => ({
  /** Replaces a group plan. Returns false if the group does not exist. */
  put: async (group: GroupKey, plan: FloorPlan): Promise<boolean> => {
    const failed = await table.write(
      { put: { ...plan, ...items.floorPlan(group) } },
      { check: items.sensorGroup(group), where: present },
    );
    return failed === null;
  },
});

export const floorPlans = (table: Table) => ({ ...floorPlanReads(table), ...floorPlanWrites(table) });
