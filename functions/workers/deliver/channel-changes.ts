import { isAccepted, type PersonOutcome } from '#shared/delivery/targets/person.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import type { DeliverDeps } from './deps.ts';

/** Returns the users who got a message. Several may have the same Telegram chat. */
const usersOf = async ({ store }: DeliverDeps, deliveries: readonly Delivery[]) => {
  const { customerId = 0 } = deliveries.at(0) ?? {};
  const ids = new Set(deliveries.flatMap(({ person }) => person?.userId ?? []));
  const users = await Promise.all([...ids].map((userId) => store.recipients.person(customerId, userId)));
  return users.filter((user) => user !== null).map((user) => ({ customerId: user.customerId, userId: user.id }));
};

/**
 * Stores at the channels of the recipients what their service has reported: nothing can be delivered to the address, or can
 * be again, or the group has a new one. Changes nothing if the user has replaced the address meanwhile.
 */
export const updateChannels = async (
  deps: DeliverDeps,
  deliveries: readonly Delivery[],
  channel: Channel,
  outcome: PersonOutcome,
): Promise<void> => {
  const { store, now, log } = deps;
  if (channel.by === 'push') return;
  const { by, address, undeliverableDate } = channel;
  const { movedTo = null, gone: reason = null } = {
    movedTo: null,
    gone: null,
    ...(typeof outcome === 'object' && outcome),
  };
  // Other services accept messages that they later report as undeliverable.
  const isBack = by === 'telegram' && isAccepted(outcome) && undeliverableDate !== undefined;
  if (movedTo === null && reason === null && !isBack) return;
  for (const user of await usersOf(deps, deliveries)) {
    const { userId } = user;
    if (movedTo !== null) {
      log('info', 'the group of a Telegram channel has a new chat id', { userId });
      await store.channels.move(user, by, { from: address, to: movedTo });
    } else {
      if (reason !== null) log('warn', 'nothing can be delivered to a channel', { userId, by, reason });
      await store.channels.markUndeliverable(user, { by, address }, reason === null ? null : { date: now(), reason });
    }
  }
};
