import { judgedAnew } from '../../shared/api/changing.ts';
import { Reply } from '../../shared/api/operation.ts';
import { serve } from '../../shared/api/serve.ts';
import { drawToken, hashOf } from '../../shared/auth/tokens.ts';
import type { Deps } from '../../shared/deps.ts';
import { PAIRING_CODE_LIFETIME, pairingCode } from '../../shared/domain/pairing.ts';
import { type Device, hardwareIdOf, newSensor, type SensorRecord, sensorIdOf } from '../../shared/domain/sensor.ts';
import type { StoreOf } from '../../shared/store/store.ts';
import { configOf, knows } from './config.ts';
import { devices } from './contract.ts';
import { messagesOf, toMessage } from './messages.ts';

type Random = (bytes: number) => Uint8Array;

const drawCode = (random: Random, now: number) => {
  const code = pairingCode(random(8));
  const expires = now + PAIRING_CODE_LIFETIME;
  return { shown: { pairingCode: code, pairingCodeExpires: expires }, stored: { hash: hashOf(code), expires } };
};

/** The sensor wherever it is now; null when there is none. */
const locate = async (
  store: StoreOf<'customers.homeOf' | 'sensors.get'>,
  sensorId: string,
): Promise<SensorRecord | null> => {
  const home = await store.customers.homeOf('sensor', sensorId);
  return home === null ? null : store.sensors.get(home, sensorId);
};

/** A call without anything new: it shows that the device is there. */
const hear = async (
  { store, ringEvents, now }: Deps<'events.heard' | 'ring:events'>,
  { customerId: c, sensorId: s }: Device,
): Promise<void> => {
  if (!(await store.events.heard(c, s, now()))) await ringEvents([{ c, s, e: [] }]);
};

export const handler = serve(devices, {
  registerDevice: async ({ body, provisioner, fail, refuse }, deps) => {
    const { store, now, random } = deps;
    const { manufacturer, firmwareVersion } = body;
    if (provisioner.manufacturer !== null && provisioner.manufacturer !== manufacturer) return fail('forbidden');
    const hardwareId = hardwareIdOf(manufacturer, body.hardwareId) ?? refuse('hardwareId', 'hardware_id');
    const register = async () => {
      const deviceToken = drawToken('device', random);
      const code = drawCode(random, now());
      const known = await store.sensors.idOfHardware(manufacturer, hardwareId);
      const sensor = known === null ? null : await locate(store, known);
      if (sensor) {
        const isRenewed = await store.sensors.renew(sensor, hashOf(deviceToken), code.stored, firmwareVersion);
        return isRenewed ? new Reply({ sensorId: sensor.id, deviceToken, ...code.shown }, { status: 200 }) : null;
      }
      const id = sensorIdOf(manufacturer, hardwareId, random(9));
      const fresh = newSensor({ id, hardwareId, manufacturer, firmwareVersion }, now());
      const isNew = await store.sensors.register(fresh, hashOf(deviceToken), code.stored);
      return isNew ? new Reply({ sensorId: id, deviceToken, ...code.shown }, {}) : null;
    };
    return judgedAnew(register, deps, fail);
  },

  drawPairingCode: async ({ device, params, fail }, deps) => {
    const { store, now, random } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const draw = async () => {
      const sensor = (await locate(store, device.sensorId)) ?? fail('sensor_not_found');
      const code = drawCode(random, now());
      const isDrawn = await store.sensors.renew(sensor, null, code.stored, sensor.firmwareVersion);
      return isDrawn ? code.shown : null;
    };
    const shown = await judgedAnew(draw, deps, fail);
    await hear(deps, device);
    return shown;
  },

  getDeviceConfig: async ({ device, params, event, fail }, deps) => {
    const { store, now } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const config = await configOf(store, device, now());
    if (!config) return fail('sensor_not_found');
    await hear(deps, device);
    const headers = { ETag: `"${config.version}"` };
    return new Reply(config, { headers, ...(knows(event, headers.ETag) && { status: 304 }) });
  },

  postMessages: async ({ device, params, body, fail, refuse }, deps) => {
    const { store, ringEvents, now, random, crashpoint } = deps;
    if (params.sensorId !== device.sensorId) return fail('sensor_not_found');
    const read = messagesOf(body);
    if ('refusal' in read) return read.refusal === 'too_large' ? fail('body_too_large') : refuse('', read.refusal);
    const received = now();
    const messages = read.raw.map((raw, at) =>
      toMessage(device, raw, at, received, Buffer.from(random(2)).readUInt16BE()),
    );
    // All of them durable first, whatever becomes of the bell: only then is the call answered.
    const kept = await Promise.all(messages.map((message) => store.events.keep(message)));
    crashpoint(1);
    const fresh = messages.filter((_, at) => kept[at]).map(({ uuid }) => uuid);
    if (fresh.length > 0) await ringEvents([{ c: device.customerId, s: device.sensorId, e: fresh }]);
    else await hear(deps, device);
    crashpoint(2);
    return { status: 'OK' };
  },
});
