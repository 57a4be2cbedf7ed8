import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { paged, pageQuery, search, sortBy } from '../../shared/domain/page.ts';
import { Manufacturer, Sensor, SensorId } from '../../shared/domain/sensor.ts';
import { idText, Status } from '../../shared/domain/values.ts';

const IsActive = z
  .enum(['true', 'false', 'null', ''])
  .transform((text) => (text === 'true' ? true : text === 'false' ? false : null));

const Link = z
  .object({ manufacturer: Manufacturer, code: z.string().length(8) })
  .meta({ id: 'Link', examples: [{ manufacturer: 'maker_a', code: '7KQ2MXPD' }] });

export const sensors = group({
  name: 'sensors',
  operations: {
    listSensors: {
      method: 'GET',
      path: '/sensors',
      summary: 'List sensors',
      auth: 'user',
      may: 'logged_in',
      query: z.object({
        ...pageQuery,
        searchText: search,
        sortBy: sortBy(['id', 'name', 'isActive', 'createDate', 'updateDate'], 'asc(name)'),
        isActive: IsActive.default(null).meta({ description: 'absent, empty or `null`: both' }),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(Sensor),
      uses: ['table:read'],
    },
    linkSensor: {
      method: 'POST',
      path: '/sensors/link',
      summary: 'Link a sensor to the customer of the caller, by its pairing code',
      auth: 'user',
      may: 'logged_in',
      body: Link,
      success: 200,
      response: Status,
      errors: ['pairing_code_unknown', 'customer_missing', 'sensor_of_another_customer'],
      uses: ['table:write'],
    },
    getSensor: {
      method: 'GET',
      path: '/sensors/{sensorId}',
      summary: 'Get a sensor',
      auth: 'user',
      may: 'logged_in',
      within: 'sensor',
      params: z.object({ sensorId: SensorId }),
      success: 200,
      response: Sensor,
      errors: ['sensor_not_found'],
      uses: ['table:read'],
    },
  },
});
