import { isAccepted, isFinal, type PersonOutcome } from '#shared/delivery/targets/person.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import type { DeliverDeps } from './deps.ts';

/** Returns the users who received a message. Several users may have the same Telegram chat. */
const usersOf = async ({ store }: DeliverDeps, deliveries: readonly Delivery[]) => {
  const { customerId = 0 } = deliveries.at(0) ?? {};
  const ids = new Set(deliveries.flatMap(({ person }) => person?.userId ?? []));
  const users = await Promise.all([...ids].map((userId) => store.recipients.person(customerId, userId)));
  return users.filter((user) => user !== null).map((user) => ({ customerId: user.customerId, userId: user.id }));
};

/**
 * Updates the channels of all recipients with what Telegram reported: that the chat is unreachable or reachable again,
 * or that the group has a new id. Channels replaced in the meantime stay unchanged.
 */
export const updateChannels = async (
  deps: DeliverDeps,
  deliveries: readonly Delivery[],
  channel: Channel,
  outcome: PersonOutcome,
): Promise<void> => {
  const { store, now, log } = deps;
  // Other services report failed messages only later.
  if (channel.by !== 'telegram' || outcome === 'gone') return;
  const { by, address: from, undeliverableDate } = channel;
  const reason = isFinal(outcome) ? outcome.answer : null;
  const to = typeof outcome === 'object' && 'movedTo' in outcome ? outcome.movedTo : from;
  const isReached = isAccepted(outcome) && (to !== from || undeliverableDate !== undefined);
  if (reason === null && !isReached) return;
  for (const user of await usersOf(deps, deliveries)) {
    const { userId } = user;
    const date = now();
    if (reason !== null) await store.channels.markUndeliverable(user, by, { sentAt: date, date, reason });
    else await store.channels.recordReached(user, by, { from, to });
    log('info', 'Telegram has reported a change of a channel', { userId, reason, isMoved: to !== from });
  }
};
