import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { documentClientOf, type TableClient } from '../../shared/store/client.ts';
import { tableDesign } from '../../shared/store/table.ts';
import { transport, withFreshSockets } from '../../shared/transport.ts';
import { dynamodbJson } from './dynamodb-json.ts';

const REGION = 'eu-central-1';
// An engine on this host requires a signature but doesn't check it, and computing one is a good part of a call's
// work.
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

/** The configuration of every client for an engine on this host. It contains no secret. */
export const clientConfig = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
// These middlewares serve only a remote service. Retries are decided in shared/store/retry.ts.
const needless = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware', 'hostHeaderMiddleware'];

/**
 * Creates a client of the SDK for an engine on this host. It spares a third of the work of a call, which only a
 * remote service needs.
 */
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

/**
 * Creates a client for the embedded engine and the calls of the store only. It needs a fifth of the work of the SDK.
 */
export const embeddedClient = (endpoint: string): TableClient => dynamodbJson(endpoint, unchecked);

type Choice = {
  tableEndpoint?: string;
  onClient?: (client: ReturnType<typeof localDocumentClient>, endpoint: string) => void;
};
/**
 * Creates the table client of the host: one of the SDK when an endpoint was given or a test wants to observe the
 * calls, else the one for the embedded engine.
 */
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

/** Creates the table from its design; does nothing when it exists. */
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
