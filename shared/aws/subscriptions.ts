import { type Subscription, subscriptionFrom } from '../domain/people/subscription.ts';
import { paginateListSubscriptionsByTopic, SNSClient, type SNSClientConfig } from './subscriptions-sdk.ts';
import { transport, withFreshSockets } from './transport.ts';

/** Lists who is to be told of alarms; rejects when nobody knows it. */
export type Subscriptions = () => Promise<readonly Subscription[]>;

/** Lists the subscriptions of a topic of SNS. */
export const subscriptionsBySns = (config: SNSClientConfig, TopicArn: string): Subscriptions => {
  const client = withFreshSockets(new SNSClient({ maxAttempts: 2, requestHandler: transport(), ...config }));
  return async () => {
    const all: Subscription[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
      all.push(...Subscriptions.map(subscriptionFrom));
    return all;
  };
};
