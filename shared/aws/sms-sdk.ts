/**
 * The parts of the AWS SDK used for AWS End User Messaging. They are bundled once for all functions
 * (lib/aws/functions/sdk.ts).
 */
export {
  PinpointSMSVoiceV2Client,
  type PinpointSMSVoiceV2ClientConfig,
  SendTextMessageCommand,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
