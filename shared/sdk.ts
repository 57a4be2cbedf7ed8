/** Everything that mails and MQTT messages use of the AWS SDK. It is bundled once for all functions (lib/aws/sdk.ts). */
export { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from '@aws-sdk/client-iot-data-plane';
export { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
