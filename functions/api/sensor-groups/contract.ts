import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { FloorPlan, FloorPlanUpdate } from '#shared/domain/sensor/floor-plan.ts';
import { NewSensorGroup, SensorGroup, SensorGroupUpdate } from '#shared/domain/sensor/sensor-group.ts';
import { idText, Status } from '#shared/domain/values.ts';

const oneGroup = defaults({
  path: '/sensor-groups/{groupId}',
  auth: 'user',
  within: 'sensor_group',
  params: z.object({ groupId: idText }),
  success: 200,
});
const onePlan = defaults({ ...oneGroup, path: '/sensor-groups/{groupId}/plan', response: FloorPlan });
const oneGroupOnly = 'A sensor is in one group at most, so a sensor added here leaves its previous group.';

export const sensorGroups = group({
  name: 'sensor-groups',
  about: 'Sensor groups that rules watch together',
  operations: {
    listSensorGroups: {
      method: 'GET',
      path: '/sensor-groups',
      summary: 'List sensor groups',
      auth: 'user',
      may: 'logged_in',
      display: true,
      query: z.object({ customerId: idText.optional() }),
      success: 200,
      response: z.array(SensorGroup),
      uses: ['sensorGroups.list'],
    },
    createSensorGroup: {
      method: 'POST',
      path: '/sensor-groups',
      summary: 'Create a sensor group',
      description: oneGroupOnly,
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
      display: true,
      response: SensorGroup,
      errors: ['sensor_group_not_found'],
      uses: ['sensorGroups.get'],
    },
    updateSensorGroup: {
      ...oneGroup,
      method: 'PUT',
      summary: 'Update a sensor group',
      description: oneGroupOnly,
      may: 'manage_sensors',
      body: SensorGroupUpdate,
      response: SensorGroup,
      errors: ['sensor_group_not_found', 'limit_reached'],
      uses: ['sensorGroups.put', 'sensorGroups.get', 'keep:quotas'],
    },
    getFloorPlan: {
      ...onePlan,
      method: 'GET',
      summary: "Get a sensor group's plan",
      description: "Returns where the group's rooms are. Until a plan is set, it is 40 m by 20 m and has no rooms.",
      may: 'logged_in',
      display: true,
      errors: ['sensor_group_not_found'],
      uses: ['sensorGroups.get', 'floorPlans.get'],
    },
    setFloorPlan: {
      ...onePlan,
      method: 'PUT',
      summary: "Replace a sensor group's plan",
      description:
        "Only the group's sensors can be on the plan, each once. A sensor that leaves the group also leaves the plan.",
      may: 'manage_sensors',
      body: FloorPlanUpdate,
      errors: ['sensor_group_not_found'],
      uses: ['sensorGroups.get', 'floorPlans.get', 'floorPlans.put'],
    },
    deleteSensorGroup: {
      ...oneGroup,
      method: 'DELETE',
      summary: 'Delete a sensor group',
      description:
        "The group's sensors are kept. A group watched by a rule cannot be deleted, because nobody would notice that " +
        'the sensors are no longer watched.',
      may: 'manage_sensors',
      response: Status,
      errors: ['sensor_group_not_found', 'sensor_group_in_use'],
      uses: ['sensorGroups.remove'],
    },
  },
});
