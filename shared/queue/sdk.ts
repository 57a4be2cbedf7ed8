/** Everything that queues use of the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
