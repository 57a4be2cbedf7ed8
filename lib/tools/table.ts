import { existsSync } from 'node:fs';
import { createTable, documentClient, type Table } from '../../shared/store/client.ts';
import { startTableEngine, tableFileOf } from '../local/engines.ts';
import { runningEngine } from '../local/running-engine.ts';
import { localDocumentClient } from '../local/table.ts';
import { type AwsConfig, awsAccount, outputsOf } from './aws/account.ts';
import { Refusal } from './refusal.ts';

/**
 * The place of a table: that of a deployed stage, one with a name in the account, one at an endpoint, or one in a
 * data folder of this machine.
 */
export type Where =
  | { stage: string; aws: AwsConfig }
  | { aws: AwsConfig; table: string }
  | { endpoint: string; table: string }
  | { dataDir: string; table: string };

export type OpenTable = { table: Table; close: () => Promise<void> };

const atEndpoint = (endpoint: string, name: string, stop = async () => {}): OpenTable => {
  const client = localDocumentClient(endpoint);
  const close = async () => {
    client.destroy();
    await stop();
  };
  return { table: createTable(client, name), close };
};

const inFolder = async (dataDir: string, name: string): Promise<OpenTable> => {
  if (!existsSync(tableFileOf(dataDir)))
    throw new Refusal(
      `There is no data in the folder ${dataDir}: name the folder of your cloud (--data-dir, or DATA_DIR), or a stage in AWS (--stage).`,
    );
  const running = await runningEngine(dataDir);
  if (running) return atEndpoint(running, name);
  const engine = await startTableEngine({ dataDir, onExit: () => {} });
  return atEndpoint(engine.endpoint, name, engine.stop);
};

/**
 * Opens the table of a deployment. For a data folder it uses the engine that works on the folder, or starts one when
 * there is none.
 */
export const openTable = async (where: Where): Promise<OpenTable> => {
  if ('dataDir' in where) return inFolder(where.dataDir, where.table);
  if ('endpoint' in where) return atEndpoint(where.endpoint, where.table);
  const name = 'stage' in where ? (await outputsOf(awsAccount(where.aws), where.stage)).TableName : where.table;
  if (!name)
    throw new Refusal('The stack has no output TableName: deploy this version first, or name the table (--table).');
  const client = documentClient(where.aws);
  return { table: createTable(client, name), close: async () => client.destroy() };
};
