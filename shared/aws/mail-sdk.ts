/** Everything that is used of SES in the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
