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
import { hasName, withFallback } from './calls.ts';

/** The state of a table with its indexes, and the source table if AWS reports a recovery. */
type TableState = { isActive: boolean; isProtected: boolean; source: string | null };

/** Returns the calls that add what a recovered table initially lacks. */
const extras = (dynamo: DynamoDBClient) => ({
  hasTtl: async (TableName: string): Promise<boolean> => {
    const { TimeToLiveDescription } = await dynamo.send(new DescribeTimeToLiveCommand({ TableName }));
    return /^ENABL(ED|ING)$/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '');
  },
  expireBy: async (TableName: string, AttributeName: string): Promise<void> => {
    const TimeToLiveSpecification = { Enabled: true, AttributeName };
    await dynamo.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  },

  /** Returns the range of times (ms) to which a table can be recovered, or null without point-in-time recovery. */
  recoverable: async (TableName: string): Promise<{ from: number; to: number } | null> => {
    const { ContinuousBackupsDescription } = await dynamo.send(new DescribeContinuousBackupsCommand({ TableName }));
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') return null;
    return {
      from: recovery.EarliestRestorableDateTime?.getTime() ?? 0,
      to: recovery.LatestRestorableDateTime?.getTime() ?? 0,
    };
  },

  /** Enables point-in-time recovery. Does nothing while AWS is still preparing backups for a new table. */
  keepRecoverable: async (TableName: string): Promise<void> => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const updated = dynamo.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    await withFallback(updated, hasName('ContinuousBackupsUnavailableException'), null);
  },

  /** Enables deletion protection. Does nothing while an earlier change to the table is in progress. */
  protect: async (TableName: string): Promise<void> => {
    const updated = dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    await withFallback(updated, hasName('ResourceInUseException'), null);
  },
});

/** Returns the calls that a recovery makes on whole tables. */
export const tableCalls = (dynamo: DynamoDBClient) => ({
  ...extras(dynamo),

  /** Returns a table's state, or null if the table does not exist. */
  table: async (TableName: string): Promise<TableState | null> => {
    const response = dynamo.send(new DescribeTableCommand({ TableName }));
    const described = await withFallback(response, hasName('ResourceNotFoundException'), null);
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

  /** Starts recovering a table to the given time (ms, whole seconds) under another name, unless the target exists. */
  restore: async (SourceTableName: string, TargetTableName: string, to: number): Promise<void> => {
    const names = { SourceTableName, TargetTableName };
    const restored = dynamo.send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: new Date(to) }));
    await withFallback(restored, hasName('TableAlreadyExistsException'), null);
  },
});
