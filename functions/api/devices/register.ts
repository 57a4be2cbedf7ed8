import { sendNotice } from '#shared/api/notices.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import type { Notice } from '#shared/domain/event/event.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { PAIRING_CODE_LIFETIME, pairingCode, REPORTED_REFUSALS } from '#shared/domain/sensor/pairing.ts';
import type { Provisioner } from '#shared/domain/sensor/provisioning-key.ts';
import { newSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import type { devices } from './contract.ts';

type RegisterDeps = Deps<(typeof devices)['operations']['registerDevice']['uses'][number]>;
type CodeDeps = Pick<RegisterDeps, 'now' | 'random'>;
type Registration = { sensorId: string; deviceToken: string; pairingCode: string; pairingCodeExpires: number };
/** The result of a registration. Null means the sensor has changed, and the registration must be retried. */
type RegistrationResult =
  | { kind: 'new' | 'again'; registration: Registration }
  | { kind: 'refused' | 'key_used_up' }
  | null;

/** Generates a pairing code. `shown` is for the device, `stored` for the table. */
export const newPairingCode = ({ random, now }: CodeDeps) => {
  const code = pairingCode(random(8));
  const expires = now() + PAIRING_CODE_LIFETIME;
  return { shown: { pairingCode: code, pairingCodeExpires: expires }, stored: { hash: hashSecret(code), expires } };
};

/** Registers a device for the first time. */
export const registerFirst = async (
  { store, now, random }: RegisterDeps,
  device: Pick<SensorRecord, 'manufacturer' | 'hardwareId' | 'firmwareVersion'>,
  key: Provisioner,
): Promise<RegistrationResult> => {
  const { manufacturer, hardwareId, firmwareVersion } = device;
  const id = makers[manufacturer].sensorIdOf(hardwareId, random(9));
  const sensor = newSensor({ id, hardwareId, manufacturer, firmwareVersion }, now());
  const deviceToken = drawToken('device', random);
  const code = newPairingCode({ random, now });
  const result = await store.devices.register(sensor, hashSecret(deviceToken), code.stored, key);
  if (result === 'key_used_up') return { kind: result };
  return result === 'done' ? { kind: 'new', registration: { sensorId: id, deviceToken, ...code.shown } } : null;
};

type NewNotice = NoticeItem & { uuid: string };
/** Creates a notice, which is a report from the service itself about a sensor. */
const newNotice = (notice: Notice, { now, random }: CodeDeps): NewNotice => ({
  uuid: randomUuid(random),
  receiveDate: now(),
  notice,
});

const enqueueNotice = (
  deps: RegisterDeps,
  { customerId, id: sensorId }: SensorRecord,
  { uuid, receiveDate }: Pick<NewNotice, 'uuid' | 'receiveDate'>,
) => sendNotice(deps, { customerId: customerId ?? UNASSIGNED, sensorId, uuid, receiveDate });

/**
 * Reports a refused registration, up to a limit, so that provisioning key holders cannot flood a customer with reports.
 */
const reportRefusal = async (deps: RegisterDeps, sensor: SensorRecord): Promise<void> => {
  const { store, now } = deps;
  const { windowSeconds } = REPORTED_REFUSALS;
  const sensorCount = await store.limits.countFailure(`refused:sensor:${sensor.id}`, windowSeconds, now());
  if (sensorCount.count > REPORTED_REFUSALS.sensor) return;
  const customerCount = await store.limits.countFailure(`refused:customer:${sensor.customerId}`, windowSeconds, now());
  if (customerCount.count > REPORTED_REFUSALS.customer) return;
  const { uuid, ...notice } = newNotice('registration_refused', deps);
  await store.events.storeNotice({ customerId: sensor.customerId ?? UNASSIGNED, sensorId: sensor.id }, uuid, notice);
  await enqueueNotice(deps, sensor, { uuid, ...notice });
};

/** Registers a known device again. A linked device needs its token, or permission from the customer. */
export const registerAgain = async (
  deps: RegisterDeps,
  sensor: SensorRecord,
  { deviceToken: currentToken, firmwareVersion }: { deviceToken?: string | undefined; firmwareVersion: number },
): Promise<RegistrationResult> => {
  const deviceToken = drawToken('device', deps.random);
  const code = newPairingCode(deps);
  const notice = newNotice('registered', deps);
  const update = { hash: hashSecret(deviceToken), pairing: code.stored, firmwareVersion, notice };
  const currentHash = currentToken === undefined ? null : hashSecret(currentToken);
  const result = await deps.store.devices.registerAgain(sensor, update, currentHash);
  if (result === 'refused') await reportRefusal(deps, sensor);
  if (result !== 'done') return result && { kind: result };
  if (sensor.customerId !== null) await enqueueNotice(deps, sensor, notice);
  return { kind: 'again', registration: { sensorId: sensor.id, deviceToken, ...code.shown } };
};
