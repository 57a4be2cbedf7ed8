/**
 * An alarm subscription: the protocol, the address, and whether the address owner has confirmed it. Only confirmed
 * subscriptions have an `id`.
 */
export type Subscription = { id: string; protocol: string; endpoint: string; isConfirmed: boolean };

type SnsSubscription = {
  SubscriptionArn?: string | undefined;
  Protocol?: string | undefined;
  Endpoint?: string | undefined;
};
/**
 * Returns the subscription in an SNS list entry. SNS lists unconfirmed subscriptions with a placeholder instead of an
 * ARN.
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

/** Returns the confirmed subscriptions. `waking` leaves out email subscriptions, because an email wakes no one. */
export const alarmRecipients = (subscriptions: readonly Subscription[]) => {
  const confirmed = subscriptions.filter(({ isConfirmed }) => isConfirmed);
  return { confirmed, waking: confirmed.filter(({ protocol }) => !protocol.startsWith('email')) };
};
