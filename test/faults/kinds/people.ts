import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const DAY = 86_400_000;
const page = { page: 0, perPage: 200, sortBy: 'desc(createDate)' };
/** Identifies a message within a hit. */
const pairOf = (hitId: number, message: number): string => `${hitId} ${message}`;

/**
 * A rule notifies a user through each channel, and the users on duty by email, of the falls that a webhook receives. A
 * service must accept each message in a hit, or the delivery must have ended with a reason.
 */
const notifiedByEachChannel = async ({
  homes: { birch },
  stores,
  notifications,
  clock,
  receiver,
}: Scene): Promise<Story> => {
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
  notifications.length = 0;
  return {
    after: async () => {
      await client.ok('DELETE', `/rules/${ruleId}`);
      const { hits } = await stores.hitLists.page(customerId, begun, page);
      const own = hits.filter((hit) => hit.ruleId === ruleId);
      const events = new Set(own.map(({ sensorEventId }) => sensorEventId));
      const falls = receiver.receipts.filter((receipt) => receipt.customerId === customerId);
      const missed = falls.filter(({ uuid }) => !events.has(uuid));
      const span = [begun, clock.now() + DAY] as const;
      const { data } = await stores.deliveryLog.pageOfAll(customerId, [null], span, { ...page, sensorId: '' });
      const ended = data.filter(({ state, reason }) => state === 'failed' && reason !== null);
      const settled = new Set([
        ...notifications.map(({ hitId, message }) => pairOf(hitId, message)),
        ...ended.flatMap(({ hit }) => (hit ? [pairOf(hit.id, hit.message)] : [])),
      ]);
      const undelivered = own.flatMap(({ id, messages }) =>
        messages.flatMap((_, at) => (settled.has(pairOf(id, at)) ? [] : [pairOf(id, at)])),
      );
      return [
        ...missed.map(({ uuid }) => `the fall ${uuid} has no hit`),
        ...undelivered.map((pair) => `nobody was notified by message ${pair}`),
        ...own
          .filter(({ messages }) => messages.length !== 3)
          .map(({ id, messages }) => `hit ${id} has ${messages.length} messages`),
      ];
    },
  };
};

/** Faults in the messaging services that notify people. */
export const ofPeople: readonly Fault[] = [
  {
    title: 'processes die and messaging services fail: every notification is accepted or ends with a reason',
    rates: {
      crashes: [
        ...(['process.decided', 'process.hits_written', 'process.deliveries_written'] as const),
        ...(['deliver.claimed', 'deliver.sent', 'deliver.reported', 'deliver.recorded'] as const),
      ],
      crash: 0.15,
      notifications: 0.15,
    },
    story: notifiedByEachChannel,
  },
];
