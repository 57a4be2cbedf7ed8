/** Somebody who is to be told of alarms: how, where, and whether the owner of that address has confirmed it. */
export type Subscription = { protocol: string; endpoint: string; isConfirmed: boolean };

type Listed = {
  SubscriptionArn?: string | undefined;
  Protocol?: string | undefined;
  Endpoint?: string | undefined;
};
/** Reads a subscription as SNS lists it: one that is not confirmed has a word in place of its ARN. */
export const subscriptionFrom = ({ SubscriptionArn = '', Protocol = '', Endpoint = '' }: Listed): Subscription => ({
  protocol: Protocol,
  endpoint: Endpoint,
  isConfirmed: SubscriptionArn.startsWith('arn:'),
});

/** Those that are told of alarms, and those of them that may wake somebody, which an e-mail does not. */
export const toldOf = (all: readonly Subscription[]) => {
  const confirmed = all.filter(({ isConfirmed }) => isConfirmed);
  return { confirmed, waking: confirmed.filter(({ protocol }) => !protocol.startsWith('email')) };
};
