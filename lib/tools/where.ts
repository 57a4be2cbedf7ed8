import type { AwsConfig } from './aws/account.ts';
import type { Where } from './table.ts';

type Given = Readonly<Partial<Record<'stage' | 'table' | 'endpoint' | 'data-dir', string | undefined>>>;

/** The name of the table in the local host. */
export const LOCAL_TABLE = 'sensor-cloud';

/** Gives why the options don't name exactly one table; null when they do. */
export const whereProblem = ({ stage, table, endpoint, 'data-dir': dataDir }: Given): string | null => {
  if ([stage, endpoint ?? table, dataDir].filter((place) => place !== undefined).length > 1)
    return 'one of --stage, --table, --endpoint and --data-dir says where the table is';
  return endpoint !== undefined && !URL.canParse(endpoint) ? '--endpoint is a URL like http://127.0.0.1:8000' : null;
};

/** Gives the place of the table from the options; without options it is the data folder of `npm start`. */
export const whereFrom = (
  { stage, table, endpoint, 'data-dir': dataDir }: Given,
  folder: string,
  aws: AwsConfig,
): Where => {
  if (stage !== undefined) return { stage, aws };
  if (endpoint !== undefined) return { endpoint, table: table ?? LOCAL_TABLE };
  return table === undefined ? { dataDir: dataDir ?? folder, table: LOCAL_TABLE } : { aws, table };
};
