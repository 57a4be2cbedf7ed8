import { PinpointSMSVoiceV2Client, type PinpointSMSVoiceV2ClientConfig, SendTextMessageCommand } from './sms-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Sends an SMS to a number in E.164. Rejects if the service did not accept it. */
export type SendSms = (to: string, text: string) => Promise<void>;

/** How long the network keeps an SMS for a phone that is off. */
const TTL_SECONDS = 3_600;

/** Returns a function that sends through AWS End User Messaging. `origin`: the ARN of a number, a sender ID or a pool. */
export const awsSms = (config: PinpointSMSVoiceV2ClientConfig, origin: string): SendSms => {
  const options = { maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config };
  const client = withFreshSockets(new PinpointSMSVoiceV2Client(options));
  return async (to, text) => {
    const message = { DestinationPhoneNumber: to, OriginationIdentity: origin, MessageBody: text };
    await client.send(
      new SendTextMessageCommand({ ...message, MessageType: 'TRANSACTIONAL', TimeToLive: TTL_SECONDS }),
    );
  };
};
