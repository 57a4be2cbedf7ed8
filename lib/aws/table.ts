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
import { tableDesign } from '../../shared/store/table.ts';
import type { Stage } from './settings.ts';

const projections = { KEYS_ONLY: ProjectionType.KEYS_ONLY } as const;
const key = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The one table, as shared/store/table.ts designs it; or, after data was recovered, the one that a stage names: its own
 * stays as it is then.
 */
export const createTable = (scope: Construct, { keepData, tableName }: Stage): ITable => {
  const { partitionKey, sortKey, ttl, indexes } = tableDesign;
  const table = new Table(scope, 'Table', {
    partitionKey: key(partitionKey),
    sortKey: key(sortKey),
    timeToLiveAttribute: ttl,
    billingMode: BillingMode.PAY_PER_REQUEST,
    // The account's own key: CloudTrail shows its use, and no function needs a right for it.
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
  // Its stream, of which there is none, has one type there and another here.
  if (tableName === '') return table as ITable;
  return Table.fromTableAttributes(scope, 'recovered', { tableName, globalIndexes: Object.keys(indexes) });
};
