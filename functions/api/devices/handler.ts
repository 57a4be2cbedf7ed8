import { configOf } from '#shared/api/device/device-config.ts';
import { knows } from '#shared/api/http/exchange.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { MESSAGES } from '#shared/domain/event/raw.ts';
import { hardwareIdOf } from '#shared/domain/makers/makers.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { accept, ingest } from '#shared/ingest/ingest.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { devices } from './contract.ts';
import { drawCode, registerAgain, registerFirst } from './register.ts';

/** Gives a sensor by its id, no matter which customer it belongs to. It is null if there is none. */
const locate = async (
  store: StoreOf<'customers.ownerOf' | 'sensors.get'>,
  sensorId: string,
): Promise<SensorRecord | null> => {
  const owner = await store.customers.ownerOf('sensor', sensorId);
  return owner === null ? null : store.sensors.get(owner, sensorId);
};

/** What fills in the texts of refused calls. */
const REFUSED = { type: { expected: 'object' }, items: { limit: MESSAGES.count }, json: {} };

/** What waits of a device that is held back is judged at some 100 calls a second. */
const HELD_BACK_SECONDS = 5;

export const handler = serve(devices, {
  registerDevice: async ({ body, provisioner, fail, refuse }, deps) => {
    const { store, now } = deps;
    const { manufacturer } = body;
    if (provisioner.manufacturer !== null && provisioner.manufacturer !== manufacturer) return fail('forbidden');
    const hardwareId = hardwareIdOf(manufacturer, body.hardwareId) ?? refuse('hardwareId', 'hardware_id');
    const register = async () => {
      const known = await store.devices.idOfHardware(manufacturer, hardwareId);
      const sensor = known === null ? null : await locate(store, known);
      return sensor ? registerAgain(deps, sensor, body) : registerFirst(deps, { ...body, hardwareId }, provisioner);
    };
    const outcome = await retryOnConflict(register);
    if (outcome.what === 'new') return outcome.shown;
    await store.provisioning.noteUse(provisioner.id, now());
    if (outcome.what === 'again') return new Reply(outcome.shown, { status: 200 });
    if (outcome.what === 'refused') return fail('registration_refused');
    const { maxDevices } = provisioner;
    // A key without a limit can only be refused because it was deleted in the meantime.
    if (maxDevices === null) return fail('credentials_invalid');
    return fail('limit_reached', { limit: { of: 'devices', most: maxDevices } });
  },

  drawPairingCode: async ({ device, params, fail }, deps) => {
    const { store } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const draw = async () => {
      const sensor = (await locate(store, device.sensorId)) ?? fail('sensor_not_found');
      const code = drawCode(deps);
      const isDrawn = await store.devices.renewCode(sensor, code.stored);
      return isDrawn ? code.shown : null;
    };
    const shown = await retryOnConflict(draw);
    await accept(deps, device);
    return shown;
  },

  getDeviceConfig: async ({ device, params, event, fail }, deps) => {
    const { store, now } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const config = await configOf(store, device, now());
    if (!config) return fail('sensor_not_found');
    await accept(deps, device);
    const headers = { ETag: `"${config.version}"` };
    return new Reply(config, { headers, ...(knows(event, headers.ETag) && { status: 304 }) });
  },

  postMessages: async ({ device, params, body, fail, refuse }, deps) => {
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const taken = await ingest(deps, device, body);
    if ('warnings' in taken)
      return { status: 'OK', ...(taken.warnings.length > 0 && { warnings: [...taken.warnings] }) };
    const { refusal } = taken;
    if (refusal === 'rate_limited') return fail('rate_limited', { waitSeconds: HELD_BACK_SECONDS });
    return refusal === 'too_large' ? fail('body_too_large') : refuse('', refusal, REFUSED[refusal]);
  },
});
