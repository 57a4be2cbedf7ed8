import { type Subscription, subscriptionFrom } from '../domain/people/subscription.ts';
import { paginateListSubscriptionsByTopic, SNSClient, type SNSClientConfig } from './subscriptions-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Lists the subscribers of alarms. Rejects if they cannot be read. */
export type ListSubscriptions = () => Promise<readonly Subscription[]>;

/** Returns a function that lists the subscriptions of an SNS topic. */
export const snsSubscriptions = (config: SNSClientConfig, TopicArn: string): ListSubscriptions => {
  const client = withFreshSockets(
    new SNSClient({ maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config }),
  );
  return async () => {
    const subscriptions: Subscription[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
      subscriptions.push(...Subscriptions.map(subscriptionFrom));
    return subscriptions;
  };
};
