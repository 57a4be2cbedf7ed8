import type { Client } from '../client.ts';
import { listAll } from '../list.ts';
import { command, flag, text } from './command.ts';
import { customerOf } from './customer.ts';
import { printList, timeText } from './print.ts';
import { connect } from './profiles.ts';
import { readNumber, readTime, timeHelp } from './times.ts';

/** Reads up to `max` items from a list. */
const first = async <T>(list: AsyncIterable<T>, max: number): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of list) {
    found.push(item);
    if (found.length === max) break;
  }
  return found;
};
const MAX_ITEMS = 1_000_000;
const ofCustomer = (customer: string | undefined) =>
  customer === undefined ? {} : { customerId: readNumber('customer', customer, [1, Number.MAX_SAFE_INTEGER], 0) };

export const sensors = command({
  about: 'list sensors',
  help: `sensor-cloud sensors
  --customer ID                only this customer's sensors
  --search TEXT                only sensors whose name or id contains this text
  --inactive                   only inactive sensors`,
  options: { customer: text, search: text, inactive: flag },
  run: async (values, io) => {
    const { client } = await connect(values, io);
    const query = {
      ...ofCustomer(values.customer),
      searchText: values.search ?? '',
      ...(values.inactive && { isActive: 'false' as const }),
    };
    const found = await first(listAll(client, '/sensors', { query }), MAX_ITEMS);
    printList(io, values.json, found, ({ id, name, isActive, manufacturer, customerId }) => ({
      id,
      name,
      active: isActive,
      maker: manufacturer,
      customer: customerId,
    }));
  },
});

export const rules = command({
  about: 'list rules',
  help: `sensor-cloud rules
  --customer ID                this customer's rules; required for system admins`,
  options: { customer: text },
  run: async (values, io) => {
    const { client } = await connect(values, io);
    const found = await first(listAll(client, '/rules', { query: ofCustomer(values.customer) }), MAX_ITEMS);
    printList(io, values.json, found, ({ id, name, situation, isEnabled, sensorId, recipients }) => ({
      id,
      name,
      situation,
      enabled: isEnabled,
      sensor: sensorId ?? 'all',
      recipients: recipients.length,
    }));
  },
});

const states = ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'] as const;
const stateOf = (value: string | undefined) => states.find((state) => state === value);

type DeliveryQuery = { state?: (typeof states)[number]; since?: number };
const deliveriesOf = async (
  client: Client,
  webhookId: string | undefined,
  customer: string | undefined,
  query: DeliveryQuery,
) =>
  webhookId === undefined
    ? listAll(client, '/customers/{customerId}/deliveries', {
        path: { customerId: await customerOf(client, customer) },
        query,
      })
    : listAll(client, '/webhooks/{webhookId}/deliveries', { path: { webhookId }, query });

export const deliveries = command({
  about: 'list deliveries, newest first',
  help: `sensor-cloud deliveries
  --webhook ID                 deliveries to this webhook; default: all of the customer's deliveries
  --customer ID                this customer's deliveries; default: yours
  --state STATE                only deliveries in this state: ${states.join(', ')}
  --since TIME                 only deliveries since this time: ${timeHelp}
  --limit 50                   maximum number of deliveries`,
  options: { webhook: text, customer: text, state: text, since: text, limit: text },
  check: ({ state }) => (state !== undefined && !stateOf(state) ? `--state must be one of ${states.join(', ')}` : null),
  run: async (values, io) => {
    const limit = readNumber('limit', values.limit, [1, MAX_ITEMS], 50);
    const state = stateOf(values.state);
    const query = { ...(state && { state }), ...(values.since && { since: readTime(values.since, io.now()) }) };
    const { client } = await connect(values, io);
    const found = await first(await deliveriesOf(client, values.webhook, values.customer, query), limit);
    printList(io, values.json, found, ({ id, createDate, event, sensorName, userName, ...delivery }) => ({
      id,
      time: timeText(createDate),
      event,
      sensor: sensorName,
      state: delivery.state,
      reason: delivery.reason,
      attempts: delivery.attempts,
      to: userName ?? delivery.webhookId,
    }));
  },
});
