import { sendNotice } from '#shared/api/notices.ts';
import { drawToken, hashOf } from '#shared/auth/tokens.ts';
import type { Notice } from '#shared/domain/event/event.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { PAIRING_CODE_LIFETIME, pairingCode, TOLD_REFUSALS } from '#shared/domain/sensor/pairing.ts';
import type { Provisioner } from '#shared/domain/sensor/provisioning-key.ts';
import { newSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import type { devices } from './contract.ts';

type Registering = Deps<(typeof devices)['operations']['registerDevice']['uses'][number]>;
type NowAndRandom = Pick<Registering, 'now' | 'random'>;
type Shown = { sensorId: string; deviceToken: string; pairingCode: string; pairingCodeExpires: number };
/**
 * The result of a registration. It is null if the sensor was changed in between, so that the registration has to be
 * repeated.
 */
type RegistrationResult = { what: 'new' | 'again'; shown: Shown } | { what: 'refused' | 'key_used_up' } | null;

/** Draws a pairing code: `shown` is for the device, `stored` is for the table. */
export const drawCode = ({ random, now }: NowAndRandom) => {
  const code = pairingCode(random(8));
  const expires = now() + PAIRING_CODE_LIFETIME;
  return { shown: { pairingCode: code, pairingCodeExpires: expires }, stored: { hash: hashOf(code), expires } };
};

/** Registers a device for the first time. */
export const registerFirst = async (
  { store, now, random }: Registering,
  given: Pick<SensorRecord, 'manufacturer' | 'hardwareId' | 'firmwareVersion'>,
  key: Provisioner,
): Promise<RegistrationResult> => {
  const { manufacturer, hardwareId, firmwareVersion } = given;
  const id = makers[manufacturer].sensorIdOf(hardwareId, random(9));
  const sensor = newSensor({ id, hardwareId, manufacturer, firmwareVersion }, now());
  const deviceToken = drawToken('device', random);
  const code = drawCode({ random, now });
  const made = await store.devices.register(sensor, hashOf(deviceToken), code.stored, key);
  if (made === 'key_used_up') return { what: made };
  return made === 'done' ? { what: 'new', shown: { sensorId: id, deviceToken, ...code.shown } } : null;
};

type NewNotice = NoticeItem & { uuid: string };
/** Makes a notice, which is a report of the service itself about a sensor. */
const noticeOf = (notice: Notice, { now, random }: NowAndRandom): NewNotice => ({
  uuid: randomUuid(random),
  receiveDate: now(),
  notice,
});

const tell = (
  deps: Registering,
  { customerId, id: sensorId }: SensorRecord,
  { uuid, receiveDate }: Pick<NewNotice, 'uuid' | 'receiveDate'>,
) => sendNotice(deps, { customerId: customerId ?? UNASSIGNED, sensorId, uuid, receiveDate });

/** Reports a refused registration, up to a limit, because nobody with a key may flood a customer with reports. */
const tellRefusal = async (deps: Registering, sensor: SensorRecord): Promise<void> => {
  const { store, now } = deps;
  const { windowSeconds } = TOLD_REFUSALS;
  const ofSensor = await store.limits.countFailure(`refused:sensor:${sensor.id}`, windowSeconds, now());
  if (ofSensor.count > TOLD_REFUSALS.sensor) return;
  const ofAll = await store.limits.countFailure(`refused:customer:${sensor.customerId}`, windowSeconds, now());
  if (ofAll.count > TOLD_REFUSALS.customer) return;
  const { uuid, ...notice } = noticeOf('registration_refused', deps);
  await store.events.keepNotice({ customerId: sensor.customerId ?? UNASSIGNED, sensorId: sensor.id }, uuid, notice);
  await tell(deps, sensor, { uuid, ...notice });
};

/**
 * Registers a known device again. A linked one needs its token or the permission of its customer; otherwise nothing
 * changes.
 */
export const registerAgain = async (
  deps: Registering,
  sensor: SensorRecord,
  { deviceToken: shown, firmwareVersion }: { deviceToken?: string | undefined; firmwareVersion: number },
): Promise<RegistrationResult> => {
  const deviceToken = drawToken('device', deps.random);
  const code = drawCode(deps);
  const notice = noticeOf('registered', deps);
  const fresh = { hash: hashOf(deviceToken), pairing: code.stored, firmwareVersion, notice };
  const made = await deps.store.devices.registerAgain(sensor, fresh, shown === undefined ? null : hashOf(shown));
  if (made === 'refused') await tellRefusal(deps, sensor);
  if (made !== 'done') return made && { what: made };
  if (sensor.customerId !== null) await tell(deps, sensor, notice);
  return { what: 'again', shown: { sensorId: sensor.id, deviceToken, ...code.shown } };
};
