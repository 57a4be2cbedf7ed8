import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { documentClientOf, type TableClient } from '../../shared/store/client.ts';
import { tableDesign } from '../../shared/store/table.ts';
import { transport, withFreshSockets } from '../../shared/transport.ts';
import { dynamodbJson } from './dynamodb-json.ts';

const REGION = 'eu-central-1';
// An engine on this host wants to see a signature but checks none, and making one is a good part of a call's work.
const unchecked = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20250101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  'x-amz-date': '20250101T000000Z',
};

type Signable = { headers: Record<string, string> };
const signer = {
  sign: async <T>(request: T): Promise<T> => {
    Object.assign((request as T & Signable).headers, unchecked);
    return request;
  },
};

/** How every client on this host reaches an engine; nothing here is a secret. */
export const clientConfig = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
// What a service far away needs of each request. Who tries again is decided in shared/store/retry.ts.
const needless = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware', 'hostHeaderMiddleware'];

/** A client of the SDK for the table, for an engine that was given: a third of the work of a call is not for one here. */
export const localDocumentClient = (endpoint: string) => {
  const requestHandler = transport();
  const client = withFreshSockets(
    new DynamoDBClient({ ...clientConfig(endpoint), signer, maxAttempts: 1, requestHandler }),
  );
  for (const name of needless) client.middlewareStack.remove(name);
  const once = { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high', override: true } as const;
  client.middlewareStack.add((next) => next, once);
  return documentClientOf(client);
};

/** A client for the embedded engine alone, and for the calls of the store: their work is a fifth of that in the SDK. */
export const embeddedClient = (endpoint: string): TableClient => dynamodbJson(endpoint, unchecked);

type Choice = {
  tableEndpoint?: string;
  onClient?: (client: ReturnType<typeof localDocumentClient>, endpoint: string) => void;
};
/** The client of the host: that of the SDK for an engine that was given, and for whoever wants to look into its calls. */
export const tableClient = ({ tableEndpoint, onClient }: Choice, endpoint: string): TableClient => {
  if (!tableEndpoint && !onClient) return embeddedClient(endpoint);
  const client = localDocumentClient(endpoint);
  onClient?.(client, endpoint);
  return client;
};

const keySchema = (design: { partitionKey: string; sortKey: string }) => [
  { AttributeName: design.partitionKey, KeyType: 'HASH' as const },
  { AttributeName: design.sortKey, KeyType: 'RANGE' as const },
];

/** Creates the table from its design; does nothing when it is there. */
export const ensureTable = async (endpoint: string, name: string): Promise<void> => {
  const client = new DynamoDBClient({ ...clientConfig(endpoint), requestHandler: transport() });
  const indexes = Object.entries(tableDesign.indexes);
  const attributes = [tableDesign, ...indexes.map(([, index]) => index)].flatMap((one) => [
    one.partitionKey,
    one.sortKey,
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
