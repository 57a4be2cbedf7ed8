import { existsSync } from 'node:fs';
import { createTable, documentClient, type Table } from '#shared/store/engine/client.ts';
import { tableClient } from '../local/table/client.ts';
import { clientConfig } from '../local/table/endpoint.ts';
import { dataFileOf, openForTool } from '../local/table/storage.ts';
import { type AwsConfig, createAccountClient, requireOutputs } from './aws/account.ts';
import { UserError } from './user-error.ts';

/** A table's location: a deployed stage, a table name in the account, an endpoint, or a local data folder. */
export type TableLocation =
  | { stage: string; aws: AwsConfig }
  | { aws: AwsConfig; table: string }
  | { endpoint: string; table: string }
  | { dataDir: string; table: string };

type OpenTable = { table: Table; close: () => Promise<void> };

const atEndpoint = (endpoint: string, name: string): OpenTable => {
  const client = documentClient(clientConfig(endpoint));
  return { table: createTable(client, name), close: async () => client.destroy() };
};

const inFolder = (dataDir: string, name: string): OpenTable => {
  if (!existsSync(dataFileOf(dataDir)))
    throw new UserError(
      `The folder ${dataDir} contains no data: set the data folder of your host (--data-dir, or DATA_DIR) or a stage in AWS (--stage).`,
    );
  const { rows, turns, close } = openForTool(dataDir);
  return { table: createTable(tableClient(rows, turns, name, Date.now), name), close: async () => close() };
};

/** Opens a deployment's table. A host may be using the data folder at the same time. */
export const openTable = async (where: TableLocation): Promise<OpenTable> => {
  if ('dataDir' in where) return inFolder(where.dataDir, where.table);
  if ('endpoint' in where) return atEndpoint(where.endpoint, where.table);
  const name =
    'stage' in where ? (await requireOutputs(createAccountClient(where.aws), where.stage)).TableName : where.table;
  if (!name)
    throw new UserError('The stack has no output TableName: deploy this version first, or set the table (--table).');
  const client = documentClient(where.aws);
  return { table: createTable(client, name), close: async () => client.destroy() };
};
