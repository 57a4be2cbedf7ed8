import type { Client } from '../client.ts';
import { listAll } from '../list.ts';
import { command, flag, text } from './command.ts';
import { customerOf } from './customer.ts';
import { printList, timeText } from './print.ts';
import { connect } from './profiles.ts';
import { readNumber, readTime, timeHelp } from './times.ts';

/** The first entries of a list. */
const first = async <T>(list: AsyncIterable<T>, most: number): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of list) {
    found.push(item);
    if (found.length === most) break;
  }
  return found;
};
const MOST = 1_000_000;
const ofCustomer = (given: string | undefined) =>
  given === undefined ? {} : { customerId: readNumber('customer', given, [1, Number.MAX_SAFE_INTEGER], 0) };

export const sensors = command({
  about: 'lists sensors',
  help: `sensor-cloud sensors
  --customer ID                of this customer; without it, those that you may see
  --search TEXT                whose name or id has this text
  --inactive                   that are silent`,
  options: { customer: text, search: text, inactive: flag },
  run: async (given, io) => {
    const { client } = await connect(given, io);
    const query = {
      ...ofCustomer(given.customer),
      searchText: given.search ?? '',
      ...(given.inactive && { isActive: 'false' as const }),
    };
    const found = await first(listAll(client, '/sensors', { query }), MOST);
    printList(io, given.json, found, ({ id, name, isActive, manufacturer, customerId }) => ({
      id,
      name,
      active: isActive,
      maker: manufacturer,
      customer: customerId,
    }));
  },
});

export const rules = command({
  about: 'lists rules',
  help: `sensor-cloud rules
  --customer ID                of this customer; system admins have to say it`,
  options: { customer: text },
  run: async (given, io) => {
    const { client } = await connect(given, io);
    const found = await first(listAll(client, '/rules', { query: ofCustomer(given.customer) }), MOST);
    printList(io, given.json, found, ({ id, name, situation, isEnabled, sensorId, recipients }) => ({
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
const stateOf = (given: string | undefined) => states.find((state) => state === given);

type Chosen = { state?: (typeof states)[number]; since?: number };
const deliveriesOf = async (
  client: Client,
  webhookId: string | undefined,
  customer: string | undefined,
  query: Chosen,
) =>
  webhookId === undefined
    ? listAll(client, '/customers/{customerId}/deliveries', {
        path: { customerId: await customerOf(client, customer) },
        query,
      })
    : listAll(client, '/webhooks/{webhookId}/deliveries', { path: { webhookId }, query });

export const deliveries = command({
  about: 'lists what was delivered, or not, newest first',
  help: `sensor-cloud deliveries
  --webhook ID                 to this webhook; without it, all of a customer
  --customer ID                of this customer instead of yours
  --state STATE                ${states.join(', ')}
  --since TIME                 ${timeHelp}
  --limit 50                   how many at most`,
  options: { webhook: text, customer: text, state: text, since: text, limit: text },
  check: ({ state }) => (state !== undefined && !stateOf(state) ? `--state is one of ${states.join(', ')}` : null),
  run: async (given, io) => {
    const limit = readNumber('limit', given.limit, [1, MOST], 50);
    const state = stateOf(given.state);
    const query = { ...(state && { state }), ...(given.since && { since: readTime(given.since, io.now()) }) };
    const { client } = await connect(given, io);
    const found = await first(await deliveriesOf(client, given.webhook, given.customer, query), limit);
    printList(io, given.json, found, ({ id, createDate, event, sensorName, userName, ...delivery }) => ({
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
