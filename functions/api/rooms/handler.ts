import { notifyDevice } from '#shared/api/device/device-config.ts';
import { refuseAll } from '#shared/api/errors.ts';
import { serve } from '#shared/api/serve.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import { firstRoom, rotationOf } from '#shared/domain/sensor/room-geometry.ts';
import { numberRegions, roomErrors } from '#shared/domain/sensor/room-rules.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { SensorItem } from '#shared/store/sensors/sensor-item.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { rooms } from './contract.ts';

type SensorWithRoom = { sensor: SensorItem; room: Room };

const findRoom = async (
  store: StoreOf<'sensors.get' | 'rooms.get'>,
  customerId: number,
  sensorId: string,
): Promise<SensorWithRoom | null> => {
  // The sensor is read first. A later room change also changes the sensor revision.
  const sensor = await store.sensors.get(customerId, sensorId);
  const room = await store.rooms.get(customerId, sensorId);
  return sensor && { sensor, room: room ?? firstRoom(sensor) };
};

/** Returns the rules that refer to a region removed by the update. */
const rulesOfRemovedRegions = async (
  store: StoreOf<'rules.ofRegions'>,
  customerId: number,
  before: Room,
  { sensorId, regions }: Room,
): Promise<{ id: number; name: string }[]> => {
  const removed = before.regions.filter(({ id }) => !regions.some((region) => region.id === id)).map(({ id }) => id);
  return removed.length > 0 ? store.rules.ofRegions(customerId, sensorId, removed) : [];
};

export const handler = serve(rooms, {
  getRoom: async ({ customerId, params, fail }, { store }) =>
    (await findRoom(store, customerId, params.sensorId))?.room ?? fail('sensor_not_found'),

  putRoom: async ({ customerId, params: { sensorId }, body, auditChange, fail }, deps) => {
    const { store, now, random } = deps;
    const update = async () => {
      const { sensor, room: before } = (await findRoom(store, customerId, sensorId)) ?? fail('sensor_not_found');
      refuseAll(roomErrors(body, sensor.manufacturer));
      const room: Room = {
        ...body,
        sensorId,
        createDate: before.createDate,
        updateDate: now(),
        rotation: rotationOf(body.sensorMounting),
        regions: numberRegions(body.regions, before.regions, () => randomUuid(random)),
      };
      const rules = await rulesOfRemovedRegions(store, customerId, before, room);
      if (rules.length > 0) return fail('region_in_use', { rules });
      auditChange(before, room);
      return (await store.rooms.put(sensor, room, before.regions)) ? { room, sensor } : null;
    };
    const { room, sensor } = await retryOnConflict(update);
    await notifyDevice(deps, { customerId, sensorId, manufacturer: sensor.manufacturer });
    return room;
  },

  listRegions: async ({ customerId, params, fail }, { store }) =>
    (await findRoom(store, customerId, params.sensorId))?.room.regions ?? fail('sensor_not_found'),
});
