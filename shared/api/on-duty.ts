import type { KeptChannel } from '../domain/people/channel.ts';
import { type OnDuty, type OnDutyView, reachingChannels, usersOnDuty } from '../domain/people/duty.ts';
import type { SendableKinds } from '../domain/people/sendable.ts';
import type { DutyPlan } from '../domain/people/shifts.ts';
import { nameOfUser } from '../domain/rule/acknowledgement.ts';
import type { UserItem } from '../store/identity/users.ts';
import type { StoreOf } from '../store/store.ts';

type Store = StoreOf<'duty.get' | 'recipients.person' | 'channels.list'>;

/** A user on duty, with verified channels. */
export type PersonOnDuty = OnDuty & { user: UserItem; channels: KeptChannel[] };

/**
 * Reads the people on duty at the given time (ms), whether by the roster or by their own choice. Leaves out users who
 * may not log in.
 */
export const peopleOnDuty = async (
  store: Omit<Store, 'duty'>,
  customerId: number,
  plan: DutyPlan,
  now: number,
): Promise<PersonOnDuty[]> => {
  const found = usersOnDuty(plan, now).map(async (onDuty): Promise<PersonOnDuty[]> => {
    const { userId } = onDuty;
    const [user, channels] = await Promise.all([
      store.recipients.person(customerId, userId),
      store.channels.list({ customerId, userId }),
    ]);
    if (user?.customerId !== customerId || !user.canLogin) return [];
    return [{ ...onDuty, user, channels: channels.filter(({ provenDate }) => provenDate !== null) }];
  });
  return (await Promise.all(found)).flat();
};

/** Reads a customer's people on duty at the given time (ms). `customer` is null if the customer no longer exists. */
export const readPeopleOnDuty = async (
  store: Store,
  customerId: number,
  customer: { timeZone: string } | null,
  now: number,
): Promise<PersonOnDuty[]> => {
  const { own, roster } = await store.duty.get(customerId);
  return peopleOnDuty(store, customerId, { own, roster, timeZone: customer?.timeZone ?? 'UTC' }, now);
};

/** Returns the channels through which this service can reach a user. */
export const reachableBy = (
  channels: readonly KeptChannel[],
  { CHANNEL_KINDS }: Pick<SendableKinds, 'CHANNEL_KINDS'>,
) => reachingChannels(channels).filter((by) => CHANNEL_KINDS.includes(by));

/** Returns the view of people on duty. */
export const onDutyViews = (
  people: readonly PersonOnDuty[],
  settings: Pick<SendableKinds, 'CHANNEL_KINDS'>,
): OnDutyView[] =>
  people.map(({ userId, user, until, source, channels }) => ({
    userId,
    name: nameOfUser(user),
    until,
    source,
    reachableBy: reachableBy(channels, settings),
  }));
