/** All that queues take of the AWS SDK; bundled once for all functions (lib/aws/sdk.ts). */
export {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
