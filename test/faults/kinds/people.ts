import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const DAY = 86_400_000;
const page = { page: 0, perPage: 200, sortBy: 'desc(createDate)' };
/** A message of a hit, and a delivery of it. */
const pairOf = (hitId: number, message: number): string => `${hitId} ${message}`;

/**
 * A rule tells a user by each way, and whoever is on duty by mail, of the falls that a webhook is told of. Each message of
 * its hits was taken by a service, or its delivery has ended with a reason.
 */
const toldByEachWay = async ({ homes: { birch }, stores, letters, clock, receiver }: Scene): Promise<Story> => {
  const { client, customerId } = birch;
  const { id: userId } = await client.ok<{ id: number }>('GET', '/users/me');
  const addresses = { email: 'nurse@example.com', sms: '+491701234567', telegram: '4711' };
  for (const [by, address] of Object.entries(addresses)) {
    const channel = { by: by as ChannelKind, address, provenDate: clock.now() };
    await stores.channels.put({ customerId, userId }, channel, null);
  }
  await stores.duty.begin(customerId, { userId, until: clock.now() + 30 * DAY });
  const recipients = [...Object.keys(addresses).map((by) => ({ userId, by })), { onDuty: true, by: 'email' }];
  const texts = { name: 'people', title: '{sensor}: {situation}', message: 'at {time}', situation: 'fall_detected' };
  const { id: ruleId } = await client.ok<{ id: number }>('POST', '/rules', { ...texts, recipients });
  const begun = clock.now() - 2 * DAY;
  letters.length = 0;
  return {
    after: async () => {
      await client.ok('DELETE', `/rules/${ruleId}`);
      const { hits } = await stores.hitLists.page(customerId, begun, page);
      const own = hits.filter((hit) => hit.ruleId === ruleId);
      const events = new Set(own.map(({ sensorEventId }) => sensorEventId));
      const fallen = receiver.receipts.filter((receipt) => receipt.customerId === customerId);
      const missed = fallen.filter(({ uuid }) => !events.has(uuid));
      const span = [begun, clock.now() + DAY] as const;
      const { data } = await stores.deliveryLog.joined(customerId, [null], span, { ...page, sensorId: '' });
      const ended = data.filter(({ state, reason }) => state === 'failed' && reason !== null);
      const told = new Set([
        ...letters.map(({ hitId, message }) => pairOf(hitId, message)),
        ...ended.flatMap(({ hit }) => (hit ? [pairOf(hit.id, hit.message)] : [])),
      ]);
      const untold = own.flatMap(({ id, messages }) =>
        messages.flatMap((_, at) => (told.has(pairOf(id, at)) ? [] : [pairOf(id, at)])),
      );
      return [
        ...missed.map(({ uuid }) => `the fall ${uuid} was to be told to nobody`),
        ...untold.map((pair) => `nobody was told of ${pair}`),
        ...own.filter(({ messages }) => messages.length !== 3).map(({ id, messages }) => `${messages.length} in ${id}`),
      ];
    },
  };
};

/** Faults of the ways to people. */
export const ofPeople: readonly Fault[] = [
  {
    title:
      'processes die and services refuse letters or lose their answers: a person is told by each way, or it is said why not',
    rates: {
      crashes: [
        ...(['process.decided', 'process.hits_written', 'process.deliveries_written'] as const),
        ...(['deliver.claimed', 'deliver.sent', 'deliver.reported', 'deliver.recorded'] as const),
      ],
      crash: 0.15,
      letters: 0.15,
    },
    story: toldByEachWay,
  },
];
