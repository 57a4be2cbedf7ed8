/**
 * A subscription to alarms: its protocol, its address, and whether the owner of the address has confirmed it. Only a
 * confirmed subscription has an `id`.
 */
export type Subscription = { id: string; protocol: string; endpoint: string; isConfirmed: boolean };

type SnsSubscription = {
  SubscriptionArn?: string | undefined;
  Protocol?: string | undefined;
  Endpoint?: string | undefined;
};
/**
 * Returns the subscription of an entry in an SNS list, where a placeholder replaces the ARN of an unconfirmed
 * subscription.
 */
export const subscriptionFrom = ({
  SubscriptionArn = '',
  Protocol = '',
  Endpoint = '',
}: SnsSubscription): Subscription => ({
  id: SubscriptionArn.startsWith('arn:') ? (SubscriptionArn.split(':').at(-1) ?? '') : '',
  protocol: Protocol,
  endpoint: Endpoint,
  isConfirmed: SubscriptionArn.startsWith('arn:'),
});

/** Returns the confirmed subscriptions. `waking` leaves out subscriptions by email, because an email wakes nobody. */
export const alarmRecipients = (subscriptions: readonly Subscription[]) => {
  const confirmed = subscriptions.filter(({ isConfirmed }) => isConfirmed);
  return { confirmed, waking: confirmed.filter(({ protocol }) => !protocol.startsWith('email')) };
};
