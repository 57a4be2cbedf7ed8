import type { AwsConfig } from './aws/account.ts';
import type { Where } from './table.ts';

type Given = Readonly<Partial<Record<'stage' | 'table' | 'endpoint' | 'data-dir', string | undefined>>>;

/** What the local host calls its table. */
const LOCAL_TABLE = 'sensor-cloud';

/** Why the options name no one table; null: they do. */
export const whereProblem = ({ stage, table, endpoint, 'data-dir': dataDir }: Given): string | null => {
  if ([stage, endpoint ?? table, dataDir].filter((one) => one !== undefined).length > 1)
    return 'one of --stage, --table, --endpoint and --data-dir says where the table is';
  return endpoint !== undefined && !URL.canParse(endpoint) ? '--endpoint is a URL like http://127.0.0.1:8000' : null;
};

/** Where the options say that the table is; without any of them in the data folder of `npm start`. */
export const whereFrom = (
  { stage, table, endpoint, 'data-dir': dataDir }: Given,
  folder: string,
  aws: AwsConfig,
): Where => {
  if (stage !== undefined) return { stage, aws };
  if (endpoint !== undefined) return { endpoint, table: table ?? LOCAL_TABLE };
  return table === undefined ? { dataDir: dataDir ?? folder, table: LOCAL_TABLE } : { aws, table };
};
