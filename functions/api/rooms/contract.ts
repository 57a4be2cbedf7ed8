import * as z from 'zod';
import { defaults, group, notifyUses } from '#shared/api/operation.ts';
import { Region, Room, RoomUpdate } from '#shared/domain/sensor/room.ts';
import { SensorId } from '#shared/domain/sensor/sensor.ts';

const common = defaults({
  auth: 'user',
  within: 'sensor',
  params: z.object({ sensorId: SensorId }),
  success: 200,
  errors: ['sensor_not_found'],
});

export const rooms = group({
  name: 'rooms',
  about: 'The room a sensor watches, with all regions',
  operations: {
    getRoom: {
      ...common,
      method: 'GET',
      path: '/sensors/{sensorId}/room',
      summary: "Get a sensor's room",
      may: 'logged_in',
      display: true,
      response: Room,
      uses: ['sensors.get', 'rooms.get'],
    },
    putRoom: {
      ...common,
      method: 'PUT',
      path: '/sensors/{sensorId}/room',
      summary: "Update a sensor's room",
      description:
        'Replaces the room. What the sensor learned about the previous room is then outdated, so learning mode ' +
        'should be started again. A region without `id` keeps the id of the previous region with the same kind and ' +
        'name. A region named by a rule, even a disabled one, cannot be removed; the 409 response lists these rules.',
      may: 'edit_sensor_room',
      body: RoomUpdate,
      response: Room,
      responseHeaders: { 'X-Learning-Recommended': 'true' },
      errors: ['sensor_not_found', 'region_in_use'],
      uses: [...notifyUses, 'rules.ofRegions', 'rooms.put'],
    },
    listRegions: {
      ...common,
      method: 'GET',
      path: '/sensors/{sensorId}/room/regions',
      summary: "List a room's regions",
      may: 'logged_in',
      display: true,
      response: z.array(Region),
      uses: ['sensors.get', 'rooms.get'],
    },
  },
});
