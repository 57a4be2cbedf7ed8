import { matchesEtag } from '#shared/api/http/exchange.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { MESSAGE_LIMITS } from '#shared/domain/event/raw.ts';
import { hardwareIdOf } from '#shared/domain/makers/makers.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { ingest, queueCall } from '#shared/ingest/ingest.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { devices } from './contract.ts';

/** Returns the sensor with the given id, regardless of its customer, or null if there is none. */
const findSensor = async (
  store: StoreOf<'customers.ownerOf' | 'sensors.get'>,
  sensorId: string,
): Promise<SensorRecord | null> => {
  const owner = await store.customers.ownerOf('sensor', sensorId);
  return owner === null ? null : store.sensors.get(owner, sensorId);
};

/** Error message parameters for refused requests. */
const refusalParams = { type: { expected: 'object' }, items: { limit: MESSAGE_LIMITS.count }, json: {} };

/** How long a device with too many pending requests must wait. About 100 requests are processed per second. */
const BACKLOG_WAIT_SECONDS = 5;

// Almost all requests send messages, so the code for the other operations is loaded on first use.
export const handler = serve(devices, {
  registerDevice: async ({ body, provisioner, fail, refuse }, deps) => {
    const { store, now } = deps;
    const { manufacturer } = body;
    if (provisioner.manufacturer !== null && provisioner.manufacturer !== manufacturer) return fail('forbidden');
    const hardwareId = hardwareIdOf(manufacturer, body.hardwareId) ?? refuse('hardwareId', 'hardware_id');
    const { registerAgain, registerFirst } = await import('./register.ts');
    const register = async () => {
      const known = await store.devices.idOfHardware(manufacturer, hardwareId);
      const sensor = known === null ? null : await findSensor(store, known);
      return sensor ? registerAgain(deps, sensor, body) : registerFirst(deps, { ...body, hardwareId }, provisioner);
    };
    const outcome = await retryOnConflict(register);
    if (outcome.kind === 'new') return outcome.registration;
    await store.provisioning.recordUse(provisioner.id, now());
    if (outcome.kind === 'again') return new Reply(outcome.registration, { status: 200 });
    if (outcome.kind === 'refused') return fail('registration_refused');
    const { maxDevices } = provisioner;
    // A missing limit means the key has been deleted.
    if (maxDevices === null) return fail('credentials_invalid');
    return fail('limit_reached', { limit: { of: 'devices', most: maxDevices } });
  },

  drawPairingCode: async ({ device, params, fail }, deps) => {
    const { store } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const { newPairingCode } = await import('./register.ts');
    const renew = async () => {
      const sensor = (await findSensor(store, device.sensorId)) ?? fail('sensor_not_found');
      const code = newPairingCode(deps);
      const isRenewed = await store.devices.renewCode(sensor, code.stored);
      return isRenewed ? code.shown : null;
    };
    const code = await retryOnConflict(renew);
    await queueCall(deps, device);
    return code;
  },

  getDeviceConfig: async ({ device, params, event, fail }, deps) => {
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const { readDeviceConfig } = await import('#shared/api/device/device-config.ts');
    const config = await readDeviceConfig(deps, device);
    if (!config) return fail('sensor_not_found');
    await queueCall(deps, device);
    const headers = { ETag: `"${config.version}"` };
    return new Reply(config, { headers, ...(matchesEtag(event, headers.ETag) && { status: 304 }) });
  },

  postMessages: async ({ device, params, body, fail, refuse }, deps) => {
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const result = await ingest(deps, device, body);
    if ('warnings' in result)
      return { status: 'OK', ...(result.warnings.length > 0 && { warnings: [...result.warnings] }) };
    const { refusal } = result;
    if (refusal === 'rate_limited') return fail('rate_limited', { waitSeconds: BACKLOG_WAIT_SECONDS });
    return refusal === 'too_large' ? fail('body_too_large') : refuse('', refusal, refusalParams[refusal]);
  },
});
