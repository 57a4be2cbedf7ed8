/** The parts of the AWS SDK used for SES. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
