import { customerFor, customerOfList } from '#shared/api/customer.ts';
import { serve } from '#shared/api/serve.ts';
import { limitOf, type Quotas } from '#shared/domain/identity/quota.ts';
import { emptyPlan } from '#shared/domain/sensor/floor-plan.ts';
import type { SensorGroupUpdate } from '#shared/domain/sensor/sensor-group.ts';
import { sensorGroups } from './contract.ts';

/** Returns the path to an unknown sensor in the body, for a 400 response. */
const pathOfSensor = (sensorIds: readonly string[], unknown: string) => `sensorIds.${sensorIds.indexOf(unknown)}`;

const isTooLarge = ({ sensorIds }: SensorGroupUpdate, { sensorsInGroup }: Quotas): boolean =>
  new Set(sensorIds).size > sensorsInGroup;

export const handler = serve(sensorGroups, {
  listSensorGroups: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    return customerId === null ? [] : store.sensorGroups.list(customerId);
  },

  createSensorGroup: async ({ caller, body, fail, refuse }, { store, quotas, now }) => {
    if (isTooLarge(body, quotas)) return fail('limit_reached', limitOf(quotas, 'sensorsInGroup'));
    const customerId = await customerFor({ caller, fail, refuse }, body.customerId, store);
    const time = now();
    const id = await store.limits.nextNumber('groups');
    const { name, sensorIds } = body;
    // Sorted, because reading the group returns them in this order.
    const members = [...new Set(sensorIds)].sort();
    const group = { id, createDate: time, updateDate: time, customerId, name, sensorIds: members };
    const result = await store.sensorGroups.create(group, quotas.sensorGroups);
    if (result === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'sensorGroups'));
    if (result === 'customer_unknown') return refuse('customerId', 'unknown_reference');
    return result === 'done' ? group : refuse(pathOfSensor(sensorIds, result.unknown), 'unknown_reference');
  },

  getSensorGroup: async ({ customerId, params, fail }, { store }) =>
    (await store.sensorGroups.get(customerId, params.groupId)) ?? fail('sensor_group_not_found'),

  updateSensorGroup: async ({ customerId, params, body, auditChange, fail, refuse }, { store, quotas, now }) => {
    if (isTooLarge(body, quotas)) return fail('limit_reached', limitOf(quotas, 'sensorsInGroup'));
    const before = (await store.sensorGroups.get(customerId, params.groupId)) ?? fail('sensor_group_not_found');
    auditChange({ sensorIds: before.sensorIds }, { sensorIds: [...new Set(body.sensorIds)].sort() });
    const update = { customerId, id: params.groupId, ...body, updateDate: now() };
    const result = await store.sensorGroups.put(update);
    if (result === 'gone') return fail('sensor_group_not_found');
    if (result !== 'done') return refuse(pathOfSensor(body.sensorIds, result.unknown), 'unknown_reference');
    return (await store.sensorGroups.get(customerId, params.groupId)) ?? fail('sensor_group_not_found');
  },

  getFloorPlan: async ({ customerId, params: { groupId }, fail }, { store }) => {
    const { sensorIds } = (await store.sensorGroups.get(customerId, groupId)) ?? fail('sensor_group_not_found');
    const plan = (await store.floorPlans.get({ customerId, groupId })) ?? emptyPlan;
    return { ...plan, rooms: plan.rooms.filter(({ sensorId }) => sensorIds.includes(sensorId)) };
  },

  setFloorPlan: async ({ customerId, params: { groupId }, body, auditChange, fail, refuse }, { store }) => {
    const { sensorIds } = (await store.sensorGroups.get(customerId, groupId)) ?? fail('sensor_group_not_found');
    const unknown = body.rooms.findIndex(({ sensorId }) => !sensorIds.includes(sensorId));
    if (unknown >= 0) return refuse(`rooms.${unknown}.sensorId`, 'unknown_reference');
    auditChange((await store.floorPlans.get({ customerId, groupId })) ?? emptyPlan, body);
    return (await store.floorPlans.put({ customerId, groupId }, body)) ? body : fail('sensor_group_not_found');
  },

  deleteSensorGroup: async ({ customerId, params, fail }, { store }) => {
    const result = await store.sensorGroups.remove(customerId, params.groupId);
    if (result === 'done') return { status: 'OK' };
    return fail(result === 'gone' ? 'sensor_group_not_found' : 'sensor_group_in_use');
  },
});
