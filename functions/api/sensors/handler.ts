import { customerFor, customerOfList } from '#shared/api/customer.ts';
import { notifyDevice } from '#shared/api/device/device-config.ts';
import { parseExactly } from '#shared/api/http/json.ts';
import { lookedReply } from '#shared/api/http/looked.ts';
import { serve } from '#shared/api/serve.ts';
import { hashOf } from '#shared/auth/tokens.ts';
import { RETENTION } from '#shared/domain/event/event.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { newBasic, type StoredBasic, viewBasic } from '#shared/domain/makers/maker-a/basic.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { matches, pageOf, sorted } from '#shared/domain/page.ts';
import { normalCode, REGISTRATION_WINDOW, WRONG_CODES } from '#shared/domain/sensor/pairing.ts';
import type { ListedSensor } from '#shared/domain/sensor/sensor-row.ts';
import { fallStateOf, newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { Event, ListedEvent, Message } from '#shared/store/sensors/events.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { sensors } from './contract.ts';

/** Writes a hardware id with colons, like a MAC address. */
const colons = (hardwareId: string): string => (hardwareId.match(/../g) ?? []).join(':');

type Found = { sensor: ListedSensor; customerName: string };

const ofCustomer = async (store: StoreOf<'sensors.list'>, customerId: number, customerName: string): Promise<Found[]> =>
  (await store.sensors.list(customerId)).map((sensor) => ({ sensor, customerName }));

/** Gives all sensors that the caller may see. With `named` the names of their customers are filled in. */
const visible = async (
  store: StoreOf<'customers.get' | 'customers.list' | 'sensors.list'>,
  isAdmin: boolean,
  customerId: number | null,
  named: boolean,
): Promise<Found[]> => {
  if (customerId !== null) {
    const customer = named ? await store.customers.get(customerId) : null;
    return ofCustomer(store, customerId, customer?.name ?? '');
  }
  if (!isAdmin) return [];
  const all = [{ id: 0, name: '' }, ...(await store.customers.list())];
  return (await Promise.all(all.map(({ id, name }) => ofCustomer(store, id, name)))).flat();
};

/** Is it an event, and no older than the events that lists show? */
const isShown = (item: Message & Partial<Event>, now: number): item is Event =>
  item.createDate !== undefined && item.createDate >= now - RETENTION;

/** Makes the answer for an event. The numbers in `raw` keep their digits. */
const viewOf = ({ code, coordinates, region, raw, ...event }: ListedEvent) => ({
  ...event,
  eventType: code,
  normalizedCoordinates: coordinates,
  region: region ? { positionIdx: region.index, name: region.name } : null,
  raw: raw === null ? null : parseExactly(raw),
});

export const handler = serve(sensors, {
  listSensors: async ({ caller, query, fail }, { store }) => {
    const asked = customerOfList(caller, query.customerId, fail);
    const customerId = caller.isAdmin ? (query.customerId ?? null) : asked;
    const found = await visible(store, caller.isAdmin, customerId, query.searchText !== '');
    const wanted = found.filter(
      ({ sensor, customerName }) =>
        (query.isActive === null || sensor.isActive === query.isActive) &&
        (query.searchText === '' ||
          matches(
            query.searchText,
            sensor.id,
            sensor.name,
            sensor.hardwareId,
            colons(sensor.hardwareId),
            customerName,
          )),
    );
    return pageOf(
      sorted(
        wanted.map(({ sensor }) => sensor),
        query.sortBy,
      ),
      query,
    );
  },

  linkSensor: async ({ caller, accountKey, body, fail, refuse }, { store, quotas, now }) => {
    if (body.customerId === undefined && caller.customerId === null) return fail('customer_missing');
    const customerId = await customerFor({ caller, fail, refuse }, body.customerId, store);
    const { limit, windowSeconds } = WRONG_CODES;
    // Of the user, because one who mistypes must not keep the others of the home from linking.
    const subject = `pairing:${accountKey}`;
    const wait = await store.limits.secondsToWait(subject, limit, windowSeconds, now());
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const hash = hashOf(normalCode(body.code));
    const pairing = await store.devices.pairing(hash);
    if (!pairing || pairing.expires <= now() || pairing.manufacturer !== body.manufacturer) {
      // The write counts the code, so that of codes that are tried at the same time only the allowed number is
      // answered.
      const { count, seconds } = await store.limits.countFailure(subject, windowSeconds, now());
      return count > limit ? fail('rate_limited', { waitSeconds: seconds }) : fail('pairing_code_unknown');
    }

    const owner = (await store.customers.ownerOf('sensor', pairing.sensorId)) ?? 0;
    if (owner !== UNASSIGNED && owner !== customerId) return fail('sensor_of_another_customer');
    if (owner === customerId) await store.devices.usePairing(hash);
    const move = { to: customerId, most: quotas.sensors, now: now(), pairingHash: hash };
    const moved = owner === UNASSIGNED ? await store.sensorOwners.move(owner, pairing.sensorId, move) : null;
    if (moved === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'sensors'));
    if (moved === 'being_erased') return fail('sensor_being_erased');
    // Another call was faster.
    return typeof moved === 'string' ? fail('pairing_code_unknown') : { status: 'OK' };
  },

  getSensor: async ({ customerId, params, fail }, { store }) =>
    (await store.sensors.get(customerId, params.sensorId)) ?? fail('sensor_not_found'),

  deleteSensor: async ({ customerId, params, fail }, { store, now }) => {
    const removed = await store.sensorOwners.remove(customerId, params.sensorId, now());
    if (removed === 'done') return { status: 'OK' };
    return fail(removed === 'gone' ? 'sensor_not_found' : 'sensor_active');
  },

  allowRegistration: async ({ customerId, params, fail }, { store, now }) => {
    const registrationUntil = now() + REGISTRATION_WINDOW;
    const isThere = await store.sensors.allowRegistration(customerId, params.sensorId, registrationUntil);
    return isThere ? { registrationUntil } : fail('sensor_not_found');
  },

  getSensorStatus: async ({ customerId, params: { sensorId }, fail }, { store, now }) => {
    const [sensor, state, basic] = await Promise.all([
      store.sensors.get(customerId, sensorId),
      store.states.get(customerId, sensorId),
      store.configs.get<StoredBasic>({ customerId, sensorId }, 'basic'),
    ]);
    if (!sensor) return fail('sensor_not_found');
    const { hasLearningMode } = makers[sensor.manufacturer];
    const learning = viewBasic((hasLearningMode && basic?.values) || newBasic, sensor, now());
    return {
      isActive: state?.isActive ?? false,
      lastSeen: state?.lastSeen || null,
      firmwareVersion: sensor.firmwareVersion,
      fallState: fallStateOf(state ?? newSensorState),
      presence: state?.presence ?? null,
      learning: { active: learning.learningModeEnabled, endDate: learning.learningModeEndDate },
    };
  },

  listSensorEvents: async ({ customerId, params: { sensorId }, query, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    const { data, ...page } = await store.events.list(customerId, sensorId, now(), query);
    return lookedReply({ ...page, data: data.map(viewOf) }, query);
  },

  getSensorEvent: async ({ customerId, params: { sensorId, uuid }, fail }, { store, now }) => {
    const [sensor, event] = await Promise.all([
      store.sensors.get(customerId, sensorId),
      store.events.get(customerId, sensorId, uuid),
    ]);
    if (!sensor) return fail('sensor_not_found');
    return event && isShown(event, now()) ? viewOf(event) : fail('event_not_found');
  },

  setSensorCustomer: async ({ customerId, params: { sensorId }, body, fail, refuse }, deps) => {
    const { store, quotas, now } = deps;
    const to = body.customerId ?? UNASSIGNED;
    if (to !== UNASSIGNED && !(await store.customers.get(to))) return refuse('customerId', 'unknown_reference');
    let from: number | null = customerId;
    const move = async () => {
      if (from === null) return fail('sensor_not_found');
      const here = from === to ? await store.sensors.get(from, sensorId) : null;
      const move = { to, most: quotas.sensors, now: now() };
      const moved = here ?? (from === to ? 'gone' : await store.sensorOwners.move(from, sensorId, move));
      if (moved === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'sensors'));
      if (moved === 'being_erased') return fail('sensor_being_erased');
      if (moved === 'customer_unknown') return refuse('customerId', 'unknown_reference');
      // Another call moved the sensor in between, or the sensor was deleted.
      if (typeof moved === 'string') from = await store.customers.ownerOf('sensor', sensorId);
      return typeof moved === 'string' ? null : moved;
    };
    const moved = await retryOnConflict(move);
    if (to !== customerId) await notifyDevice(deps, { customerId: to, sensorId, manufacturer: moved.manufacturer });
    return moved;
  },
});
