import { notifyDevice } from '../../../shared/api/device-config.ts';
import { refuseAll } from '../../../shared/api/errors.ts';
import { serve } from '../../../shared/api/serve.ts';
import { randomUuid } from '../../../shared/domain/ids.ts';
import type { Room } from '../../../shared/domain/room.ts';
import { firstRoom, rotationOf } from '../../../shared/domain/room-geometry.ts';
import { placeRegions, roomErrors } from '../../../shared/domain/room-rules.ts';
import type { SensorRecord } from '../../../shared/domain/sensor.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import { rooms } from './contract.ts';

type Found = { sensor: SensorRecord; room: Room };

const find = async (
  store: StoreOf<'sensors.get' | 'rooms.get'>,
  customerId: number,
  sensorId: string,
): Promise<Found | null> => {
  const [sensor, room] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.rooms.get(customerId, sensorId),
  ]);
  return sensor && { sensor, room: room ?? firstRoom(sensor) };
};

export const handler = serve(rooms, {
  getRoom: async ({ customerId, params, fail }, { store }) =>
    (await find(store, customerId, params.sensorId))?.room ?? fail('sensor_not_found'),

  putRoom: async ({ customerId, params: { sensorId }, body, fail }, deps) => {
    const { store, now, random } = deps;
    const found = (await find(store, customerId, sensorId)) ?? fail('sensor_not_found');
    refuseAll(roomErrors(body, found.sensor.manufacturer));
    const room: Room = {
      ...body,
      sensorId,
      createDate: found.room.createDate,
      updateDate: now(),
      rotation: rotationOf(body.sensorMounting),
      regions: placeRegions(body.regions, () => randomUuid(random)),
    };
    if (!(await store.rooms.put({ customerId, sensorId }, room))) return fail('sensor_not_found');
    await notifyDevice(deps, { customerId, sensorId, manufacturer: found.sensor.manufacturer });
    return room;
  },

  listRegions: async ({ customerId, params, fail }, { store }) =>
    (await find(store, customerId, params.sensorId))?.room.regions ?? fail('sensor_not_found'),
});
