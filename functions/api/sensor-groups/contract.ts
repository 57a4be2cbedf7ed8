import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { NewSensorGroup, SensorGroup, SensorGroupUpdate } from '#shared/domain/sensor/sensor-group.ts';
import { idText, Status } from '#shared/domain/values.ts';

const oneGroup = defaults({
  path: '/sensor-groups/{groupId}',
  auth: 'user',
  within: 'sensor_group',
  params: z.object({ groupId: idText }),
  success: 200,
});
const moves = 'A sensor is in at most one group: it leaves its previous group.';

export const sensorGroups = group({
  name: 'sensor-groups',
  about: 'Sensors that rules name together',
  operations: {
    listSensorGroups: {
      method: 'GET',
      path: '/sensor-groups',
      summary: 'List the sensor groups of a customer',
      auth: 'user',
      may: 'logged_in',
      query: z.object({ customerId: idText.optional() }),
      success: 200,
      response: z.array(SensorGroup),
      uses: ['sensorGroups.list'],
    },
    createSensorGroup: {
      method: 'POST',
      path: '/sensor-groups',
      summary: 'Create a sensor group, which rules can watch as one',
      description: moves,
      auth: 'user',
      may: 'manage_sensors',
      body: NewSensorGroup,
      success: 201,
      response: SensorGroup,
      errors: ['limit_reached'],
      uses: ['customers.get', 'limits.nextNumber', 'sensorGroups.create', 'keep:quotas'],
    },
    getSensorGroup: {
      ...oneGroup,
      method: 'GET',
      summary: 'Get a sensor group',
      may: 'logged_in',
      response: SensorGroup,
      errors: ['sensor_group_not_found'],
      uses: ['sensorGroups.get'],
    },
    updateSensorGroup: {
      ...oneGroup,
      method: 'PUT',
      summary: 'Replace the name and the sensors of a group',
      description: moves,
      may: 'manage_sensors',
      body: SensorGroupUpdate,
      response: SensorGroup,
      errors: ['sensor_group_not_found', 'limit_reached'],
      uses: ['sensorGroups.put', 'sensorGroups.get', 'keep:quotas'],
    },
    deleteSensorGroup: {
      ...oneGroup,
      method: 'DELETE',
      summary: 'Delete a sensor group; its sensors stay',
      description:
        'A group that a rule watches cannot be deleted, because its sensors would silently no longer be watched.',
      may: 'manage_sensors',
      response: Status,
      errors: ['sensor_group_not_found', 'sensor_group_in_use'],
      uses: ['sensorGroups.remove'],
    },
  },
});
