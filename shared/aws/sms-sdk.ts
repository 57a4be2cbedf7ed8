/** Everything that is used of AWS End User Messaging in the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export {
  PinpointSMSVoiceV2Client,
  type PinpointSMSVoiceV2ClientConfig,
  SendTextMessageCommand,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
