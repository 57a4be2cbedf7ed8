import type { Channel } from '../domain/people/channel.ts';
import type { StoreOf } from '../store/store.ts';

type Reading = StoreOf<'recipients.person' | 'channels.provenOf'>;

/** The proven channels of a user who may be told of what happens at a customer; null: there is no such user. */
export const channelsOf = async (store: Reading, customerId: number, userId: number): Promise<Channel[] | null> => {
  const user = await store.recipients.person(customerId, userId);
  return user && store.channels.provenOf({ customerId: user.customerId, userId });
};
