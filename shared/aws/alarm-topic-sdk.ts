/** The parts of the AWS SDK used for SNS. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export {
  PublishCommand,
  paginateListSubscriptionsByTopic,
  SNSClient,
  type SNSClientConfig,
} from '@aws-sdk/client-sns';
