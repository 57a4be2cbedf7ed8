import type { Table } from '#shared/store/engine/client.ts';
import type { Key } from '#shared/store/key.ts';
import type { MessageItem } from '#shared/store/sensors/events.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';

/** A customer's sensor. Customer 0 stands for sensors without a customer. */
export type SensorKey = { customerId: number; sensorId: string };

/** Ids already known. Each makes the search cheaper. */
export type KnownIds = {
  customerId?: number | undefined;
  sensorId?: string | undefined;
  webhookId?: string | undefined;
};

/** The number of customers searched concurrently. */
const MAX_CONCURRENT = 16;

/** Returns the first non-null result across all customers. */
const firstOf = async <T>(
  table: Table,
  { customerId }: KnownIds,
  search: (customerId: number) => Promise<T | null>,
): Promise<T | null> => {
  const listed = async () => [0, ...(await store(table).customers.list()).map(({ id }) => id)];
  const customers = customerId === undefined ? await listed() : [customerId];
  for (let at = 0; at < customers.length; at += MAX_CONCURRENT) {
    const results = await Promise.all(customers.slice(at, at + MAX_CONCURRENT).map(search));
    const found = results.find((result) => result !== null);
    if (found) return found;
  }
  return null;
};

/** Returns the ids of a customer's sensors, including sensors that left recently. */
const sensorsOf = async (table: Table, customerId: number): Promise<string[]> => {
  const formerKeys = {
    pk: items.formerSensor.pk({ customerId }),
    beginsWith: items.formerSensor.sk({ sensorId: '' }),
    only: [],
  };
  const [current, former] = await Promise.all([store(table).sensors.list(customerId), table.queryAll(formerKeys)]);
  const formerIds = former.flatMap((key) => items.formerSensor.read(key)?.sensorId ?? []);
  return [...new Set([...current.map(({ id }) => id), ...formerIds])];
};

export type FoundMessage = { place: SensorKey; item: MessageItem };

/**
 * Finds a message or event item by uuid, or returns null. No key maps a uuid to a sensor, so the search tries this uuid
 * with every sensor, reading 100 keys per call at one read unit each.
 */
export const findMessage = (table: Table, uuid: string, known: KnownIds): Promise<FoundMessage | null> =>
  firstOf(table, known, async (customerId) => {
    const sensors = known.sensorId === undefined ? await sensorsOf(table, customerId) : [known.sensorId];
    const keys = sensors.map((sensorId) => items.message({ customerId, sensorId, uuid }));
    const [item] = await table.getAll<MessageItem & Key>(keys);
    const sensorId = item && items.message.read(item)?.sensorId;
    return item && sensorId ? { place: { customerId, sensorId }, item } : null;
  });

/** Finds a delivery by id, or returns null. Searches the deliveries to each webhook first, then those to people. */
export const findDelivery = (table: Table, deliveryId: string, known: KnownIds) =>
  firstOf(table, known, async (customerId) => {
    const { webhooks, deliveries } = store(table);
    const ids =
      known.webhookId === undefined ? (await webhooks.list(customerId)).map(({ id }) => id) : [known.webhookId];
    const found = await Promise.all(ids.map((webhookId) => deliveries.getAll(customerId, webhookId, [deliveryId])));
    return found.flat()[0] ?? deliveries.get(customerId, null, deliveryId);
  });
