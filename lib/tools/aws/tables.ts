import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { isNamed, orElse } from './calls.ts';

/** A table: whether it and all of its indexes can be used, and of which table it is a recovery, if AWS says so. */
type TableState = { isActive: boolean; isProtected: boolean; source: string | null };

/** What a table has besides its items and indexes: what a recovered one lacks at first. */
const extras = (dynamo: DynamoDBClient) => ({
  hasTtl: async (TableName: string): Promise<boolean> => {
    const { TimeToLiveDescription } = await dynamo.send(new DescribeTimeToLiveCommand({ TableName }));
    return /^ENABL(ED|ING)$/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '');
  },
  expireBy: async (TableName: string, AttributeName: string): Promise<void> => {
    const TimeToLiveSpecification = { Enabled: true, AttributeName };
    await dynamo.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  },

  /** Gives the times (ms) that a table can be recovered to; null when it has no point-in-time recovery. */
  recoverable: async (TableName: string): Promise<{ from: number; to: number } | null> => {
    const { ContinuousBackupsDescription } = await dynamo.send(new DescribeContinuousBackupsCommand({ TableName }));
    const given = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    if (given?.PointInTimeRecoveryStatus !== 'ENABLED') return null;
    return {
      from: given.EarliestRestorableDateTime?.getTime() ?? 0,
      to: given.LatestRestorableDateTime?.getTime() ?? 0,
    };
  },
  /** Does nothing while AWS still prepares the backups of a new table. */
  keepRecoverable: async (TableName: string): Promise<void> => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const asked = dynamo.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    await orElse(asked, isNamed('ContinuousBackupsUnavailableException'), null);
  },

  /** Does nothing while an earlier change of the table goes on. */
  protect: async (TableName: string): Promise<void> => {
    const asked = dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    await orElse(asked, isNamed('ResourceInUseException'), null);
  },
});

/** The calls about whole tables that a recovery makes. */
export const tableCalls = (dynamo: DynamoDBClient) => ({
  ...extras(dynamo),

  /** Gives the state of a table; null when there is none of that name. */
  table: async (TableName: string): Promise<TableState | null> => {
    const asked = dynamo.send(new DescribeTableCommand({ TableName }));
    const described = await orElse(asked, isNamed('ResourceNotFoundException'), null);
    if (!described) return null;
    const {
      TableStatus,
      GlobalSecondaryIndexes = [],
      DeletionProtectionEnabled,
      RestoreSummary,
    } = described.Table ?? {};
    const states = [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)];
    return {
      isActive: states.every((state) => state === 'ACTIVE'),
      isProtected: DeletionProtectionEnabled === true,
      source: RestoreSummary?.SourceTableArn?.split('/').at(-1) ?? null,
    };
  },

  /** Begins to recover a table to a time (ms, whole seconds) under another name, if none of that name is there. */
  restore: async (SourceTableName: string, TargetTableName: string, to: number): Promise<void> => {
    const names = { SourceTableName, TargetTableName };
    const asked = dynamo.send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: new Date(to) }));
    await orElse(asked, isNamed('TableAlreadyExistsException'), null);
  },
});
