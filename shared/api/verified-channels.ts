import type { Channel } from '../domain/people/channel.ts';
import type { StoreOf } from '../store/store.ts';

type ChannelStore = StoreOf<'recipients.person' | 'channels.verifiedOf'>;

/**
 * Returns the verified channels of a user who may be notified for a customer; null if there is no such user. Users who
 * may not log in have no channels: without access, they must not get news of residents, and cannot acknowledge alarms.
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
