import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { tableDesign } from '#shared/store/table.ts';
import type { Stage } from '../settings/settings.ts';

const projections = { KEYS_ONLY: ProjectionType.KEYS_ONLY } as const;
const key = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * Creates the table as designed in shared/store/table.ts. A stage with `tableName` uses that recovered table instead
 * and leaves the original one unchanged.
 */
export const createTable = (scope: Construct, { keepData, tableName }: Stage): ITable => {
  const { partitionKey, sortKey, ttl, indexes } = tableDesign;
  const table = new Table(scope, 'Table', {
    partitionKey: key(partitionKey),
    sortKey: key(sortKey),
    timeToLiveAttribute: ttl,
    billingMode: BillingMode.PAY_PER_REQUEST,
    // CloudTrail logs every use of the AWS managed key, and functions do not need permission for it.
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  for (const [indexName, index] of Object.entries(indexes))
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: key(index.partitionKey),
      sortKey: key(index.sortKey),
      projectionType: projections[index.projection],
    });
  // The types differ in `tableStreamArn`, and this table has no stream.
  if (tableName === '') return table as ITable;
  return Table.fromTableAttributes(scope, 'recovered', { tableName, globalIndexes: Object.keys(indexes) });
};
