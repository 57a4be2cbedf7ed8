import type { ActiveAlarm } from '../domain/people/active-alarm.ts';
import { type Subscription, subscriptionFrom } from '../domain/people/subscription.ts';
import { alarmMessage } from './alarm-message.ts';
import {
  PublishCommand,
  paginateListSubscriptionsByTopic,
  SNSClient,
  type SNSClientConfig,
} from './alarm-topic-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** The alarm topic. All methods reject if SNS does not accept the request. */
export type AlarmTopic = {
  /** Lists the alarm subscribers. */
  subscriptions: () => Promise<readonly Subscription[]>;
  /** Sends an already active alarm to all subscribers. */
  send: (alarm: ActiveAlarm) => Promise<void>;
  /** Sends a message to all subscribers. */
  notify: (subject: string, text: string) => Promise<void>;
};

/** Returns the methods for an SNS alarm topic. */
export const snsAlarmTopic = (config: SNSClientConfig, TopicArn: string): AlarmTopic => {
  const client = withFreshSockets(
    new SNSClient({ maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config }),
  );
  return {
    subscriptions: async () => {
      const subscriptions: Subscription[] = [];
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
        subscriptions.push(...Subscriptions.map(subscriptionFrom));
      return subscriptions;
    },
    send: async (alarm) => {
      await client.send(new PublishCommand({ TopicArn, ...alarmMessage(alarm) }));
    },
    notify: async (Subject, Message) => {
      await client.send(new PublishCommand({ TopicArn, Subject, Message }));
    },
  };
};
