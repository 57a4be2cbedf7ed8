import type { Table } from '../../../shared/store/client.ts';
import type { MessageItem } from '../../../shared/store/events.ts';
import type { Key } from '../../../shared/store/key.ts';
import { store } from '../../../shared/store/store.ts';
import { items } from '../../../shared/store/table.ts';

/** A sensor at a customer; customer 0 is nobody. */
export type Place = { customerId: number; sensorId: string };
/** What whoever asks knows already; each spares reads. */
export type Known = { customerId?: number | undefined; sensorId?: string | undefined; webhookId?: string | undefined };

/** So many customers are asked about at the same time. */
const AT_ONCE = 16;

/** The first answer that some customer has; they are asked one after the other, some at a time. */
const firstOf = async <T>(
  table: Table,
  { customerId }: Known,
  ask: (customerId: number) => Promise<T | null>,
): Promise<T | null> => {
  const listed = async () => [0, ...(await store(table).customers.list()).map(({ id }) => id)];
  const customers = customerId === undefined ? await listed() : [customerId];
  for (let at = 0; at < customers.length; at += AT_ONCE) {
    const answers = await Promise.all(customers.slice(at, at + AT_ONCE).map(ask));
    const found = answers.find((one) => one !== null);
    if (found) return found;
  }
  return null;
};

/** Every sensor that a customer has, or had until some days ago. */
const sensorsOf = async (table: Table, customerId: number): Promise<string[]> => {
  const formerKeys = {
    ...{ pk: items.formerSensor.pk({ customerId }), beginsWith: items.formerSensor.sk({ sensorId: '' }) },
    only: [],
  };
  const [here, former] = await Promise.all([store(table).sensors.list(customerId), table.queryAll(formerKeys)]);
  const gone = former.flatMap((key) => items.formerSensor.read(key)?.sensorId ?? []);
  return [...new Set([...here.map(({ id }) => id), ...gone])];
};

export type FoundMessage = { place: Place; item: MessageItem };

/**
 * What is kept under the uuid of a message or an event. No key leads from a uuid to its sensor, so each sensor is asked
 * for exactly this uuid, 100 in a read: one read unit for each. Null: none has it.
 */
export const findMessage = (table: Table, uuid: string, known: Known): Promise<FoundMessage | null> =>
  firstOf(table, known, async (customerId) => {
    const sensors = known.sensorId === undefined ? await sensorsOf(table, customerId) : [known.sensorId];
    const keys = sensors.map((sensorId) => items.message({ customerId, sensorId, uuid }));
    const [item] = await table.getAll<MessageItem & Key>(keys);
    const sensorId = item && items.message.read(item)?.sensorId;
    return item && sensorId ? { place: { customerId, sensorId }, item } : null;
  });

/** The delivery of an id, with its webhook: each webhook is asked for exactly this id. Null: none has it. */
export const findDelivery = (table: Table, deliveryId: string, known: Known) =>
  firstOf(table, known, async (customerId) => {
    const { webhooks, deliveries } = store(table);
    const ids =
      known.webhookId === undefined ? (await webhooks.list(customerId)).map(({ id }) => id) : [known.webhookId];
    const found = await Promise.all(ids.map((webhookId) => deliveries.getAll(customerId, webhookId, [deliveryId])));
    return found.flat()[0] ?? null;
  });
