/** The parts of the AWS SDK that queues use. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
