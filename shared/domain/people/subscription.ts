/**
 * A subscription to alarms: its protocol, its address, and whether the owner of the address has confirmed it. Only a
 * confirmed one has an `id`.
 */
export type Subscription = { id: string; protocol: string; endpoint: string; isConfirmed: boolean };

type SnsSubscription = {
  SubscriptionArn?: string | undefined;
  Protocol?: string | undefined;
  Endpoint?: string | undefined;
};
/** Returns a subscription from a list of SNS, which has a word instead of the ARN of an unconfirmed one. */
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

/** Returns the confirmed subscriptions, and those of them that can wake somebody, which an email cannot. */
export const alarmRecipients = (subscriptions: readonly Subscription[]) => {
  const confirmed = subscriptions.filter(({ isConfirmed }) => isConfirmed);
  return { confirmed, waking: confirmed.filter(({ protocol }) => !protocol.startsWith('email')) };
};
