import * as z from 'zod';
import { group } from '../../../shared/api/operation.ts';
import { Manufacturer, SensorId } from '../../../shared/domain/sensor.ts';
import { millis, Status, text } from '../../../shared/domain/values.ts';

const Code = z.object({ pairingCode: z.string().length(8), pairingCodeExpires: millis }).meta({ id: 'PairingCode' });
const NewDevice = z
  .object({
    manufacturer: Manufacturer,
    hardwareId: text(12, 17),
    firmwareVersion: z.int().min(0).max(2_147_483_647),
    model: text(1, 64).optional(),
    deviceToken: z.string().max(1_024).optional().meta({ description: 'the current one, for a sensor that is linked' }),
  })
  .meta({
    id: 'NewDevice',
    examples: [{ manufacturer: 'maker_a', hardwareId: '02:00:5E:10:00:01', firmwareVersion: 42 }],
  });
const Messages = z.union([z.looseObject({}), z.array(z.looseObject({})).max(100)]).meta({
  id: 'Messages',
  examples: [
    {
      type: 5,
      payload: { status: 'fall_detected', timestamp: 1_760_000_000_000, statusUpdateTimestamp: 1_760_000_001_000 },
    },
  ],
});
const BySensor = z.object({ sensorId: SensorId });

export const devices = group({
  name: 'devices',
  operations: {
    registerDevice: {
      method: 'POST',
      path: '/devices/register',
      summary: 'Register a device, or give a known one a new token and code',
      description:
        'A sensor that is linked to a customer shows its current `deviceToken`, or its customer opens a registration ' +
        '(`POST /sensors/{sensorId}/registration`); else nothing changes. Both are events of the sensor, ' +
        '`sensor/registered` and `sensor/registration_refused`, which customer webhooks in the format Full get; of ' +
        'those refused, the first 10 of a sensor and 100 of a customer in 15 minutes.',
      auth: 'provisioner',
      body: NewDevice,
      success: 201,
      alsoSuccess: 200,
      response: Code.extend({ sensorId: z.string(), deviceToken: z.string() }).meta({ id: 'Registration' }),
      errors: ['credentials_invalid', 'forbidden', 'registration_refused', 'limit_reached'],
      uses: [
        'sensors.idOfHardware',
        'customers.ownerOf',
        'sensors.get',
        'sensors.registerAgain',
        'sensors.register',
        'provisioning.noteUse',
        'limits.countFailure',
        'events.keepNotice',
        'enqueue:events',
      ],
    },
    drawPairingCode: {
      method: 'POST',
      path: '/devices/{sensorId}/pairing-code',
      summary: 'Draw a new pairing code; the old one is void',
      auth: 'device',
      params: BySensor,
      success: 201,
      response: Code,
      errors: ['sensor_not_found'],
      uses: ['customers.ownerOf', 'sensors.get', 'sensors.renewCode', 'enqueue:events'],
    },
    getDeviceConfig: {
      method: 'GET',
      path: '/devices/{sensorId}/config',
      summary: 'Get room and configuration of a device, as far as its firmware understands them',
      description:
        'The ETag is that of `version`; with it in If-None-Match the answer is 304 until something changes. ' +
        '`config.firmwareToInstall` is the versionCode to install at the next start: the one that is pinned, else the ' +
        'default of the manufacturer; null: stay as you are.',
      auth: 'device',
      params: BySensor,
      success: 200,
      alsoSuccess: 304,
      response: z.object({ version: z.string(), config: z.record(z.string(), z.unknown()) }),
      errors: ['sensor_not_found'],
      uses: ['sensors.get', 'rooms.get', 'configs.list', 'firmwares.defaultOf', 'enqueue:events'],
    },
    postMessages: {
      method: 'POST',
      path: '/devices/{sensorId}/messages',
      summary: 'Hand in one message of a device, or an array of at most 100, as the device speaks',
      description:
        'Answers only once every message is durable. Posting a message again changes nothing. A call that goes beyond ' +
        '`limits.quotas.messagesPerSecond` is refused whole.',
      auth: 'device',
      params: BySensor,
      body: Messages,
      bodyKind: 'messages',
      success: 202,
      response: Status,
      errors: ['sensor_not_found', 'body_too_large', 'bad_request'],
      // The quota is for who counts the messages before they are read: the guard.
      uses: ['enqueue:events', 'keep:quotas', 'measure'],
    },
  },
});
