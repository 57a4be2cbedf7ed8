/** The parts of the AWS SDK used for queues. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
