import type { AwsConfig } from './aws/account.ts';
import type { TableLocation } from './table.ts';

type LocationOptions = Readonly<Partial<Record<'stage' | 'table' | 'endpoint' | 'data-dir', string | undefined>>>;

/** The name of the local host's table. */
export const LOCAL_TABLE = 'sensor-cloud';

/** Returns what is wrong with the options, or null if they identify at most one table. */
export const tableOptionsProblem = ({
  stage,
  table,
  endpoint,
  'data-dir': dataDir,
}: LocationOptions): string | null => {
  if ([stage, endpoint ?? table, dataDir].filter((option) => option !== undefined).length > 1)
    return 'use only one of --stage, --table, --endpoint and --data-dir';
  return endpoint !== undefined && !URL.canParse(endpoint)
    ? '--endpoint must be a URL such as http://127.0.0.1:8000'
    : null;
};

/** Returns the table location specified by the options. The default is the `npm start` data folder. */
export const tableLocation = (
  { stage, table, endpoint, 'data-dir': dataDir }: LocationOptions,
  folder: string,
  aws: AwsConfig,
): TableLocation => {
  if (stage !== undefined) return { stage, aws };
  if (endpoint !== undefined) return { endpoint, table: table ?? LOCAL_TABLE };
  return table === undefined ? { dataDir: dataDir ?? folder, table: LOCAL_TABLE } : { aws, table };
};
