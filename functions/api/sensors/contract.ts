import * as z from 'zod';
import {
  paged,
  pageQuery,
  partialListDescription,
  partialListHeaders,
  partialListQuery,
  searchParameter,
  sortBy,
} from '#shared/api/http/paging.ts';
import { defaults, group, notifyUses } from '#shared/api/operation.ts';
import { EventView } from '#shared/domain/event/event-view.ts';
import { withoutSpaces } from '#shared/domain/sensor/pairing.ts';
import { Manufacturer, Sensor, SensorId } from '#shared/domain/sensor/sensor.ts';
import { ListedSensorView } from '#shared/domain/sensor/sensor-list-view.ts';
import { SensorStatus } from '#shared/domain/sensor/sensor-status.ts';
import { id, idText, millis, Status, uuid } from '#shared/domain/values.ts';

const IsActive = z.enum(['true', 'false', 'null', '']).transform((text) => {
  if (text === 'true') return true;
  return text === 'false' ? false : null;
});

/** Up to 37 sensor ids, separated by commas. */
const SENSOR_IDS = /^([\w=-]{1,26}(,[\w=-]{1,26}){0,36})?$/;

const Link = z
  .object({
    manufacturer: Manufacturer,
    code: z.string().overwrite(withoutSpaces).length(8).describe('not case-sensitive; spaces are ignored'),
    customerId: id.optional().describe('only for system admins: the customer to link the sensor to'),
  })
  .meta({ id: 'Link', examples: [{ manufacturer: 'maker_a', code: '7KQ2MXPD' }] });

const NewOwner = z
  .object({ customerId: id.nullable().meta({ description: 'null: no customer' }) })
  .meta({ id: 'SensorCustomer', examples: [{ customerId: 7 }] });

const oneSensor = defaults({
  path: '/sensors/{sensorId}',
  auth: 'user',
  within: 'sensor',
  params: z.object({ sensorId: SensorId }),
  success: 200,
});

export const sensors = group({
  name: 'sensors',
  about: 'Sensors, with status, events and the customer they are linked to',
  operations: {
    listSensors: {
      method: 'GET',
      path: '/sensors',
      summary: 'List sensors',
      description: 'Changes may take a second to appear.',
      auth: 'user',
      may: 'logged_in',
      display: true,
      query: z.object({
        ...pageQuery,
        searchText: searchParameter,
        sortBy: sortBy(['id', 'name', 'isActive', 'createDate', 'updateDate'], 'asc(name)'),
        isActive: IsActive.default(null).meta({
          description: 'only active or only inactive sensors; absent, empty or `null`: both',
        }),
        customerId: idText.optional(),
        sensorIds: z.string().regex(SENSOR_IDS).default('').meta({
          description: 'only these sensors, up to 37, separated by commas; empty for all',
        }),
        withState: z.enum(['true', 'false']).default('false').meta({ description: 'whether sensors have `state`' }),
      }),
      success: 200,
      response: paged(ListedSensorView),
      uses: ['customers.get', 'customers.list', 'sensors.list', 'states.glance'],
    },
    linkSensor: {
      method: 'POST',
      path: '/sensors/link',
      summary: 'Link a sensor',
      description:
        "Links a sensor to the caller's customer by pairing code. System admins name the customer with `customerId`. " +
        'After five wrong codes, a user has to wait up to 15 minutes.',
      auth: 'user',
      may: 'logged_in',
      body: Link,
      success: 200,
      response: Status,
      describedHeaders: { 'X-Sensor-Id': 'id of the linked sensor' },
      errors: [
        'pairing_code_unknown',
        'customer_missing',
        'sensor_of_another_customer',
        'sensor_being_erased',
        'limit_reached',
        'forbidden',
      ],
      uses: [
        'customers.get',
        'limits.secondsToWait',
        'limits.countFailure',
        'devices.pairing',
        'customers.ownerOf',
        'devices.usePairingCode',
        'sensorOwners.move',
        'keep:quotas',
      ],
    },
    getSensor: {
      ...oneSensor,
      method: 'GET',
      summary: 'Get a sensor',
      may: 'logged_in',
      display: true,
      response: Sensor,
      errors: ['sensor_not_found'],
      uses: ['sensors.get'],
    },
    deleteSensor: {
      ...oneSensor,
      method: 'DELETE',
      summary: 'Delete a sensor',
      description:
        'Permanently deletes an inactive sensor, including room and configuration, and removes it from its group. ' +
        'The device token is revoked, but the device can register again. Events, rule hits and feedback are kept ' +
        'until they expire.',
      may: 'manage_sensors',
      response: Status,
      errors: ['sensor_not_found', 'sensor_active'],
      uses: ['sensorOwners.remove'],
    },
    allowRegistration: {
      ...oneSensor,
      method: 'POST',
      path: '/sensors/{sensorId}/registration',
      summary: "Allow a sensor's device to register again",
      description:
        'Allows one registration without a token within 15 minutes, for a device that lost its token, for example in ' +
        "a reset. Otherwise a linked sensor's device needs its token to register.",
      may: 'manage_sensors',
      response: z.object({ registrationUntil: millis }).meta({ id: 'RegistrationWindow' }),
      errors: ['sensor_not_found'],
      uses: ['deviceTokens.allowRegistration'],
    },
    getSensorStatus: {
      ...oneSensor,
      method: 'GET',
      path: '/sensors/{sensorId}/status',
      summary: "Get a sensor's status",
      may: 'logged_in',
      display: true,
      response: SensorStatus,
      errors: ['sensor_not_found'],
      uses: ['sensors.get', 'states.get', 'configs.get'],
    },
    listSensorEvents: {
      ...oneSensor,
      method: 'GET',
      path: '/sensors/{sensorId}/events',
      summary: "List a sensor's events",
      description:
        `Returns events from the last 120 days, newest first. ${partialListDescription('1,000', '4,000')} A new ` +
        "event may take a second to appear. `raw` is null if it exceeds 16 KiB. It is also null in a page's older " +
        'events once the page\'s total exceeds 5 MiB, counting each `"` and `\\` twice; 160 events always fit. ' +
        'Requests for a single event always return `raw`.',
      may: 'logged_in',
      query: z.object(partialListQuery(idText)),
      response: paged(EventView),
      ...partialListHeaders,
      errors: ['sensor_not_found'],
      uses: ['sensors.get', 'events.list'],
    },
    getSensorEvent: {
      ...oneSensor,
      method: 'GET',
      path: '/sensors/{sensorId}/events/{uuid}',
      summary: 'Get a sensor event',
      description: 'Returns the event with the complete message that caused the event.',
      may: 'logged_in',
      params: oneSensor.params.extend({ uuid: uuid.meta({ description: 'event UUID' }) }),
      response: EventView,
      errors: ['sensor_not_found', 'event_not_found'],
      uses: ['sensors.get', 'events.get'],
    },
    setSensorCustomer: {
      ...oneSensor,
      method: 'PUT',
      path: '/sensors/{sensorId}/customer',
      summary: 'Move a sensor to another customer',
      description:
        'The new customer, or null for none, gets the sensor as if it were new: with the default name, room and ' +
        'configuration, not in a group, and inactive until the next message. Only a sensor that had no customer ' +
        'keeps its settings.',
      may: 'system_admin',
      body: NewOwner,
      response: Sensor,
      errors: ['sensor_not_found', 'sensor_being_erased', 'limit_reached'],
      uses: ['customers.get', 'sensorOwners.move', 'customers.ownerOf', 'keep:quotas', ...notifyUses],
    },
  },
});
