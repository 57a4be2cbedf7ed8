import { type NotificationReference, referenceTags } from '../domain/delivery/notification-reference.ts';
import { PinpointSMSVoiceV2Client, type PinpointSMSVoiceV2ClientConfig, SendTextMessageCommand } from './sms-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/**
 * Sends an SMS to an E.164 number. Rejects if the service did not accept it. `reference` identifies the SMS in service
 * reports.
 */
export type SendSms = (to: string, text: string, reference?: NotificationReference) => Promise<void>;

/** How long (s) the network keeps an SMS for a phone that is off. After that, the SMS would no longer help. */
const TTL_SECONDS = 600;

/**
 * Returns a function that sends through AWS End User Messaging. `origin`: the ARN of a number, a sender ID or a pool;
 * `configurationSet`: makes the service report undeliverable SMS that have a reference.
 */
export const awsSms = (config: PinpointSMSVoiceV2ClientConfig, origin: string, configurationSet = ''): SendSms => {
  const options = { maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config };
  const client = withFreshSockets(new PinpointSMSVoiceV2Client(options));
  const reportedAs = (reference: NotificationReference) => ({
    ConfigurationSetName: configurationSet,
    Context: referenceTags(reference),
  });
  return async (to, text, reference) => {
    const reported = reference && configurationSet !== '' ? reportedAs(reference) : {};
    const message = { DestinationPhoneNumber: to, OriginationIdentity: origin, MessageBody: text, ...reported };
    await client.send(
      new SendTextMessageCommand({ ...message, MessageType: 'TRANSACTIONAL', TimeToLive: TTL_SECONDS }),
    );
  };
};
