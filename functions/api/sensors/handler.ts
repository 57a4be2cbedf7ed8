import { customerFor, customerOfList } from '#shared/api/customer.ts';
import { notifyDevice } from '#shared/api/device/device-config.ts';
import { parseKeepingDigits } from '#shared/api/http/json.ts';
import { partialListReply } from '#shared/api/http/partial-list.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { basicView, newBasic, type StoredBasic } from '#shared/domain/makers/maker-a/basic.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';
import { normalizedCode, REGISTRATION_WINDOW, WRONG_CODES } from '#shared/domain/sensor/pairing.ts';
import type { ListedSensor } from '#shared/domain/sensor/sensor-row.ts';
import { fallStateOf, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { Event, ListedEvent, Message } from '#shared/store/sensors/events.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { sensors } from './contract.ts';

/** Returns a hardware id with colons, like a MAC address. */
const withColons = (hardwareId: string): string => (hardwareId.match(/../g) ?? []).join(':');

type FoundSensor = { sensor: ListedSensor; customerName: string };

const sensorsOfCustomer = async (
  store: StoreOf<'sensors.list'>,
  customerId: number,
  customerName: string,
): Promise<FoundSensor[]> => (await store.sensors.list(customerId)).map((sensor) => ({ sensor, customerName }));

/** Returns all sensors visible to the caller, with customer names if `withNames`. */
const visibleSensors = async (
  store: StoreOf<'customers.get' | 'customers.list' | 'sensors.list'>,
  isAdmin: boolean,
  customerId: number | null,
  withNames: boolean,
): Promise<FoundSensor[]> => {
  if (customerId !== null) {
    const customer = withNames ? await store.customers.get(customerId) : null;
    return sensorsOfCustomer(store, customerId, customer?.name ?? '');
  }
  if (!isAdmin) return [];
  const customers = [{ id: 0, name: '' }, ...(await store.customers.list())];
  return (await Promise.all(customers.map(({ id, name }) => sensorsOfCustomer(store, id, name)))).flat();
};

/** Returns the parts of a sensor state to show in lists. */
const timesOf = ({ lastSeen, isActive, presence }: SensorState, now: number) => ({
  // A time in the future was recorded before the clock was set back.
  lastSeen: Math.min(lastSeen ?? 0, now) || null,
  presence: isActive ? presence : null,
});

/** Returns the parts of sensor states to show in lists, by sensor id. */
const statesOf = async (store: StoreOf<'states.glance'>, sensors: readonly ListedSensor[], now: number) => {
  const keys = sensors.map(({ id: sensorId, customerId }) => ({ sensorId, customerId: customerId ?? UNASSIGNED }));
  const states = await store.states.glance(keys);
  return new Map(keys.map(({ sensorId }, at) => [sensorId, { state: states[at] ? timesOf(states[at], now) : null }]));
};

/** Whether an item is an event within the list retention. */
const isShown = (item: Message & Partial<Event>, now: number): item is Event =>
  item.createDate !== undefined && item.createDate >= now - EVENT_RETENTION;

/** Returns an event as shown in responses. Numbers in `raw` keep all their digits. */
const viewOf = ({ code, coordinates, region, raw, ...event }: ListedEvent) => ({
  ...event,
  eventType: code,
  normalizedCoordinates: coordinates,
  region: region ? { positionIdx: region.index, name: region.name } : null,
  raw: raw === null ? null : parseKeepingDigits(raw),
});

export const handler = serve(sensors, {
  listSensors: async ({ caller, query, fail }, { store, now }) => {
    const listedCustomer = customerOfList(caller, query.customerId, fail);
    const customerId = caller.isAdmin ? (query.customerId ?? null) : listedCustomer;
    const found = await visibleSensors(store, caller.isAdmin, customerId, query.searchText !== '');
    const wanted = new Set(query.sensorIds.split(',').filter((id) => id !== ''));
    const filtered = found.filter(
      ({ sensor, customerName }) =>
        (wanted.size === 0 || wanted.has(sensor.id)) &&
        (query.isActive === null || sensor.isActive === query.isActive) &&
        (query.searchText === '' ||
          matchesSearch(
            query.searchText,
            sensor.id,
            sensor.name,
            sensor.hardwareId,
            withColons(sensor.hardwareId),
            customerName,
          )),
    );
    const sorted = sortedBy(
      filtered.map(({ sensor }) => sensor),
      query.sortBy,
    );
    const [page] = pageOf(sorted, query);
    if (!page) return [];
    const states = query.withState === 'true' ? await statesOf(store, page.data, now()) : new Map();
    return [{ ...page, data: page.data.map((sensor) => ({ ...sensor, ...states.get(sensor.id) })) }];
  },

  linkSensor: async ({ caller, accountKey, body, fail, refuse }, { store, quotas, now }) => {
    if (body.customerId === undefined && caller.customerId === null) return fail('customer_missing');
    const customerId = await customerFor({ caller, fail, refuse }, body.customerId, store);
    const { limit, windowSeconds } = WRONG_CODES;
    // Counted per user, so one user's typos do not keep colleagues from linking sensors.
    const subject = `pairing:${accountKey}`;
    const wait = await store.limits.secondsToWait(subject, limit, windowSeconds, now());
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const hash = hashSecret(normalizedCode(body.code));
    const pairing = await store.devices.pairing(hash);
    if (!pairing || pairing.expires <= now() || pairing.manufacturer !== body.manufacturer) {
      // Counted in the table before responding, so concurrent attempts cannot exceed the limit.
      const { count, seconds } = await store.limits.countFailure(subject, windowSeconds, now());
      return count > limit ? fail('rate_limited', { waitSeconds: seconds }) : fail('pairing_code_unknown');
    }

    const owner = (await store.customers.ownerOf('sensor', pairing.sensorId)) ?? 0;
    if (owner !== UNASSIGNED && owner !== customerId) return fail('sensor_of_another_customer');
    if (owner === customerId) await store.devices.usePairingCode(hash);
    const move = { to: customerId, most: quotas.sensors, now: now(), pairingHash: hash };
    const moved = owner === UNASSIGNED ? await store.sensorOwners.move(owner, pairing.sensorId, move) : null;
    if (moved === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'sensors'));
    if (moved === 'being_erased') return fail('sensor_being_erased');
    // Another request got there first.
    if (typeof moved === 'string') return fail('pairing_code_unknown');
    return new Reply({ status: 'OK' as const }, { headers: { 'X-Sensor-Id': pairing.sensorId } });
  },

  getSensor: async ({ customerId, params, fail }, { store }) =>
    (await store.sensors.get(customerId, params.sensorId)) ?? fail('sensor_not_found'),

  deleteSensor: async ({ customerId, params, fail }, { store, now }) => {
    const result = await store.sensorOwners.remove(customerId, params.sensorId, now());
    if (result === 'done') return { status: 'OK' };
    return fail(result === 'gone' ? 'sensor_not_found' : 'sensor_active');
  },

  allowRegistration: async ({ customerId, params, fail }, { store, now }) => {
    const registrationUntil = now() + REGISTRATION_WINDOW;
    const isAllowed = await store.deviceTokens.allowRegistration(customerId, params.sensorId, registrationUntil);
    return isAllowed ? { registrationUntil } : fail('sensor_not_found');
  },

  getSensorStatus: async ({ customerId, params: { sensorId }, fail }, { store, now }) => {
    const [sensor, state, basic] = await Promise.all([
      store.sensors.get(customerId, sensorId),
      store.states.get(customerId, sensorId),
      store.configs.get<StoredBasic>({ customerId, sensorId }, 'basic'),
    ]);
    if (!sensor) return fail('sensor_not_found');
    const { hasLearningMode } = makers[sensor.manufacturer];
    const learning = basicView((hasLearningMode && basic?.values) || newBasic, sensor, now());
    return {
      isActive: state?.isActive ?? false,
      ...timesOf(state ?? newSensorState, now()),
      firmwareVersion: sensor.firmwareVersion,
      fallState: fallStateOf(state ?? newSensorState),
      learning: { active: learning.learningModeEnabled, endDate: learning.learningModeEndDate },
    };
  },

  listSensorEvents: async ({ customerId, params: { sensorId }, query, fail }, { store, now }) => {
    if (!(await store.sensors.get(customerId, sensorId))) return fail('sensor_not_found');
    const { data, ...page } = await store.events.list(customerId, sensorId, now(), query);
    return partialListReply({ ...page, data: data.map(viewOf) }, query);
  },

  getSensorEvent: async ({ customerId, params: { sensorId, uuid }, fail }, { store, now }) => {
    const [sensor, event] = await Promise.all([
      store.sensors.get(customerId, sensorId),
      store.events.get(customerId, sensorId, uuid),
    ]);
    if (!sensor) return fail('sensor_not_found');
    return event && isShown(event, now()) ? viewOf(event) : fail('event_not_found');
  },

  setSensorCustomer: async ({ customerId, params: { sensorId }, body, auditChange, fail, refuse }, deps) => {
    const { store, quotas, now } = deps;
    const to = body.customerId ?? UNASSIGNED;
    if (to !== UNASSIGNED && !(await store.customers.get(to))) return refuse('customerId', 'unknown_reference');
    let from: number | null = customerId;
    auditChange({ customerId: customerId || null }, body);
    const move = async () => {
      if (from === null) return fail('sensor_not_found');
      const unmoved = from === to ? await store.sensors.get(from, sensorId) : null;
      const move = { to, most: quotas.sensors, now: now() };
      const moved = unmoved ?? (from === to ? 'gone' : await store.sensorOwners.move(from, sensorId, move));
      if (moved === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'sensors'));
      if (moved === 'being_erased') return fail('sensor_being_erased');
      if (moved === 'customer_unknown') return refuse('customerId', 'unknown_reference');
      // Another request moved the sensor in the meantime, or the sensor was deleted.
      if (typeof moved === 'string') from = await store.customers.ownerOf('sensor', sensorId);
      return typeof moved === 'string' ? null : moved;
    };
    const moved = await retryOnConflict(move);
    if (to !== customerId) await notifyDevice(deps, { customerId: to, sensorId, manufacturer: moved.manufacturer });
    return moved;
  },
});
