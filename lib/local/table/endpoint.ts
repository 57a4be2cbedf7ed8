import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { requestHandlerOptions } from '#shared/aws/transport.ts';
import { tableDesign } from '#shared/store/table.ts';

/** Returns the client configuration for an engine at an endpoint. The credentials are not secret. */
export const clientConfig = (endpoint: string) => ({
  endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

const keySchema = (design: { partitionKey: string; sortKey: string }) => [
  { AttributeName: design.partitionKey, KeyType: 'HASH' as const },
  { AttributeName: design.sortKey, KeyType: 'RANGE' as const },
];

/** Creates the table from the design. Does nothing if it exists. */
export const ensureTable = async (endpoint: string, name: string): Promise<void> => {
  const client = new DynamoDBClient({ ...clientConfig(endpoint), requestHandler: requestHandlerOptions() });
  const indexes = Object.entries(tableDesign.indexes);
  const attributes = [tableDesign, ...indexes.map(([, index]) => index)].flatMap((keys) => [
    keys.partitionKey,
    keys.sortKey,
  ]);
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(tableDesign),
    AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: indexes.map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.projection },
    })),
  });
  try {
    await client.send(command);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  } finally {
    client.destroy();
  }
};
