import { PinpointSMSVoiceV2Client, type PinpointSMSVoiceV2ClientConfig, SendTextMessageCommand } from './sms-sdk.ts';
import { transport, withFreshSockets } from './transport.ts';

/** Sends an SMS to a number in E.164; rejects when the service did not take it. */
export type Sms = (to: string, text: string) => Promise<void>;

/** For how long (s) a network keeps an SMS for a phone that is off. */
const KEPT_SECONDS = 3_600;

/** Sends by AWS End User Messaging, from an identity of the account: a number, a name or a pool, by its ARN. */
export const smsByAws = (config: PinpointSMSVoiceV2ClientConfig, origin: string): Sms => {
  const options = { maxAttempts: 2, requestHandler: transport(), ...config };
  const client = withFreshSockets(new PinpointSMSVoiceV2Client(options));
  return async (to, text) => {
    const message = { DestinationPhoneNumber: to, OriginationIdentity: origin, MessageBody: text };
    await client.send(
      new SendTextMessageCommand({ ...message, MessageType: 'TRANSACTIONAL', TimeToLive: KEPT_SECONDS }),
    );
  };
};
