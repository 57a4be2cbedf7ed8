import type { Channel } from '../domain/people/channel.ts';
import type { StoreOf } from '../store/store.ts';

type ChannelStore = StoreOf<'recipients.person' | 'channels.verifiedOf'>;

/**
 * Returns a user's verified channels for notifications from a customer, or null if the user does not exist. Users who
 * may not log in have no channels: without access, they must not receive news about residents, and cannot acknowledge
 * alarms.
 */
export const verifiedChannelsOf = async (
  store: ChannelStore,
  customerId: number,
  userId: number,
): Promise<Channel[] | null> => {
  const user = await store.recipients.person(customerId, userId);
  if (!user) return null;
  return user.canLogin ? store.channels.verifiedOf({ customerId: user.customerId, userId }) : [];
};
