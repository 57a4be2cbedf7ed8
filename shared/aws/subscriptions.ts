import { type Subscription, subscriptionFrom } from '../domain/people/subscription.ts';
import { paginateListSubscriptionsByTopic, SNSClient, type SNSClientConfig } from './subscriptions-sdk.ts';
import { transport, withFreshSockets } from './transport.ts';

/** Lists the subscribers of alarms. Rejects if they cannot be read. */
export type Subscriptions = () => Promise<readonly Subscription[]>;

/** Returns a function that lists the subscriptions of an SNS topic. */
export const subscriptionsBySns = (config: SNSClientConfig, TopicArn: string): Subscriptions => {
  const client = withFreshSockets(new SNSClient({ maxAttempts: 2, requestHandler: transport(), ...config }));
  return async () => {
    const subscriptions: Subscription[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
      subscriptions.push(...Subscriptions.map(subscriptionFrom));
    return subscriptions;
  };
};
