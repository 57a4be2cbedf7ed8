import { customerOfList } from '../../shared/api/customer.ts';
import { serve } from '../../shared/api/serve.ts';
import { hashOf } from '../../shared/auth/tokens.ts';
import { matches, pageOf, sorted } from '../../shared/domain/page.ts';
import { normalCode, WRONG_CODES } from '../../shared/domain/pairing.ts';
import type { SensorRecord } from '../../shared/domain/sensor.ts';
import type { StoreReader } from '../../shared/store/store.ts';
import { sensors } from './contract.ts';

type Found = { sensor: SensorRecord; customerName: string };

const ofCustomer = async (store: StoreReader, customerId: number, customerName: string): Promise<Found[]> =>
  (await store.sensors.list(customerId)).map((sensor) => ({ sensor, customerName }));

/** All sensors that the caller may see, with the names of their customers. */
const visible = async (store: StoreReader, isAdmin: boolean, customerId: number | null): Promise<Found[]> => {
  if (customerId !== null) {
    const customer = await store.customers.get(customerId);
    return ofCustomer(store, customerId, customer?.name ?? '');
  }
  if (!isAdmin) return [];
  const all = [{ id: 0, name: '' }, ...(await store.customers.list())];
  return (await Promise.all(all.map(({ id, name }) => ofCustomer(store, id, name)))).flat();
};

export const handler = serve(sensors, {
  listSensors: async ({ caller, query, fail }, { store }) => {
    const asked = customerOfList(caller, query.customerId, fail);
    const found = await visible(store, caller.isAdmin, caller.isAdmin ? (query.customerId ?? null) : asked);
    const wanted = found.filter(
      ({ sensor, customerName }) =>
        (query.isActive === null || sensor.isActive === query.isActive) &&
        matches(query.searchText, sensor.id, sensor.name, sensor.hardwareId, customerName),
    );
    return pageOf(
      sorted(
        wanted.map(({ sensor }) => sensor),
        query.sortBy,
      ),
      query,
    );
  },

  linkSensor: async ({ caller, body, fail }, { store, now }) => {
    const { customerId } = caller;
    if (customerId === null) return fail('customer_missing');
    const { limit, windowSeconds } = WRONG_CODES;
    const subject = `pairing:${customerId}`;
    const wait = await store.limits.secondsToWait(subject, limit, windowSeconds, now());
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const hash = hashOf(normalCode(body.code));
    const pairing = await store.sensors.pairing(hash);
    if (!pairing || pairing.expires <= now() || pairing.manufacturer !== body.manufacturer) {
      // Counted by the write: of codes that are tried at the same time, only so many are answered.
      const { count, seconds } = await store.limits.countFailure(subject, windowSeconds, now());
      return count > limit ? fail('rate_limited', { waitSeconds: seconds }) : fail('pairing_code_unknown');
    }

    const home = (await store.customers.homeOf('sensor', pairing.sensorId)) ?? 0;
    if (home !== 0 && home !== customerId) return fail('sensor_of_another_customer');
    if (home === customerId) await store.sensors.usePairing(hash);
    const sensor = home === 0 ? await store.sensors.get(0, pairing.sensorId) : null;
    if (home === 0 && (!sensor || !(await store.sensors.link(sensor, customerId, hash, now()))))
      return fail('pairing_code_unknown');
    return { status: 'OK' };
  },

  getSensor: async ({ customerId, params, fail }, { store }) =>
    (await store.sensors.get(customerId, params.sensorId)) ?? fail('sensor_not_found'),
});
