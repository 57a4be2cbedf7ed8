import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { MESSAGE_LIMITS } from '#shared/domain/event/raw.ts';
import { deviceMessages, messageExamples } from '#shared/domain/makers/device-messages.ts';
import { REPORTED_REFUSALS } from '#shared/domain/sensor/pairing.ts';
import { Manufacturer, SensorId } from '#shared/domain/sensor/sensor.ts';
import { millis, Status, text } from '#shared/domain/values.ts';
import { ingestUses } from '#shared/ingest/uses.ts';

const Code = z.object({ pairingCode: z.string().length(8), pairingCodeExpires: millis }).meta({ id: 'PairingCode' });
const NewDevice = z
  .object({
    manufacturer: Manufacturer,
    hardwareId: text(12, 17),
    firmwareVersion: z.int().min(0).max(2_147_483_647),
    model: text(1, 64).optional(),
    deviceToken: z
      .string()
      .max(1_024)
      .optional()
      .meta({ description: 'the current token; required if the sensor is linked to a customer' }),
  })
  .meta({
    id: 'DeviceRegistration',
    examples: [{ manufacturer: 'maker_a', hardwareId: '02:00:5E:10:00:01', firmwareVersion: 42 }],
  });
const Messages = z.lazy(() => deviceMessages().calls.meta({ id: 'Messages' }));
const Accepted = Status.extend({
  warnings: z
    .array(
      z.object({ index: z.int().min(0).describe('index of the message in the request, from 0'), message: z.string() }),
    )
    .optional()
    .describe('What was stored but not understood: unknown kinds of messages, fields of the wrong type'),
}).meta({ id: 'MessagesAccepted' });
const BySensor = z.object({ sensorId: SensorId });

export const devices = group({
  name: 'devices',
  about: 'Device API: registration, messages, configuration',
  operations: {
    registerDevice: {
      method: 'POST',
      path: '/devices/register',
      summary: 'Register a device',
      description:
        'A known device gets a new token and pairing code (status 200). A current `deviceToken` sent with the ' +
        'request stays valid for messages and registrations until the new token is used, but at most 24 hours. If ' +
        'the sensor is linked to a customer, the request must include the current `deviceToken`, or the customer ' +
        'must have allowed a registration (`POST /sensors/{sensorId}/registration`). Otherwise the request is ' +
        'refused and nothing changes. Either way, a linked sensor gets an event, `sensor/registered` or ' +
        '`sensor/registration_refused`, which customer webhooks receive in the Full format. Within 15 minutes, only ' +
        `the first ${REPORTED_REFUSALS.sensor} refusals per sensor and the first ${REPORTED_REFUSALS.customer} per ` +
        'customer are sent.',
      auth: 'provisioner',
      body: NewDevice,
      success: 201,
      alsoSuccess: 200,
      response: Code.extend({ sensorId: z.string(), deviceToken: z.string() }).meta({ id: 'Registration' }),
      errors: ['credentials_invalid', 'forbidden', 'registration_refused', 'limit_reached'],
      uses: [
        'devices.idOfHardware',
        'customers.ownerOf',
        'sensors.get',
        'devices.registerAgain',
        'devices.register',
        'provisioning.recordUse',
        'limits.countFailure',
        'events.storeNotice',
        'enqueue:events',
      ],
    },
    drawPairingCode: {
      method: 'POST',
      path: '/devices/{sensorId}/pairing-code',
      summary: 'Generate a pairing code',
      description: 'Invalidates the previous code.',
      auth: 'device',
      params: BySensor,
      success: 201,
      response: Code,
      errors: ['sensor_not_found'],
      uses: ['customers.ownerOf', 'sensors.get', 'devices.renewCode', 'enqueue:events'],
    },
    getDeviceConfig: {
      method: 'GET',
      path: '/devices/{sensorId}/config',
      summary: "Get a device's configuration",
      description:
        'Returns the room and the configuration, without fields the firmware does not support. The ETag contains ' +
        '`version`; a request with it in `If-None-Match` returns 304 until something changes. ' +
        '`config.firmwareToInstall` is the `versionCode` to install at the next start: the pinned version or the ' +
        "manufacturer's default; null: keep the installed version. `config.maxReportDelay` is the longest time (s) " +
        'the device may hold back unchanged reports to send several in one request.',
      auth: 'device',
      params: BySensor,
      success: 200,
      alsoSuccess: 304,
      response: z.object({ version: z.string(), config: z.record(z.string(), z.unknown()) }),
      errors: ['sensor_not_found'],
      uses: ['sensors.get', 'rooms.get', 'configs.list', 'firmwares.defaultOf', 'configure:devices', 'enqueue:events'],
    },
    postMessages: {
      method: 'POST',
      path: '/devices/{sensorId}/messages',
      summary: 'Send device messages',
      description:
        `Takes one message, or an array of at most ${MESSAGE_LIMITS.count}, in the maker's format. The response is ` +
        'sent once all messages are stored durably, or known not to change anything. Sending a message twice has no ' +
        'further effect. A request that exceeds `limits.quotas.messagesPerSecond` is refused as a whole. ' +
        'Undocumented kinds of messages and additional fields are stored, but rules ignore them.',
      auth: 'device',
      params: BySensor,
      body: Messages,
      bodyExamples: messageExamples,
      bodyKind: 'messages',
      allowsFormerToken: true,
      success: 202,
      response: Accepted,
      errors: ['sensor_not_found', 'body_too_large', 'bad_request'],
      // The guard enforces the quota by counting messages before parsing them.
      uses: [...ingestUses, 'keep:quotas'],
    },
  },
});
