/** Everything the store uses from the AWS SDK, bundled once for all functions (lib/aws/functions/sdk.ts). */
export { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
export {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
