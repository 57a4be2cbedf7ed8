/** Everything that is used of SNS in the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export { paginateListSubscriptionsByTopic, SNSClient, type SNSClientConfig } from '@aws-sdk/client-sns';
