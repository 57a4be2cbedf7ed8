/** Everything that mails, SMS, MQTT messages, exports and the check of alarms use of the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from '@aws-sdk/client-iot-data-plane';
export {
  PinpointSMSVoiceV2Client,
  type PinpointSMSVoiceV2ClientConfig,
  SendTextMessageCommand,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
export { DeleteObjectCommand, GetObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
export { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
export { paginateListSubscriptionsByTopic, SNSClient, type SNSClientConfig } from '@aws-sdk/client-sns';
export { Upload } from '@aws-sdk/lib-storage';
export { getSignedUrl } from '@aws-sdk/s3-request-presigner';
