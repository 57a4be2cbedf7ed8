import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledged.ts';
import type { Stage } from '../settings/settings.ts';
import { removalPolicyOf } from './removal.ts';

/** The number of days that DynamoDB's point-in-time recovery goes back. */
export const BACKUP_DAYS = 35;

/**
 * The bucket of exports. Jobs delete each export after a day; the lifecycle rule deletes any export that its job could
 * not delete, at most a day later. A bucket must be empty to be deleted with its stack, so `npm run destroy` empties
 * it.
 */
export class Exports extends Bucket {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: removalPolicyOf(stage),
    });
    acknowledge(this, 'exports, no access log');
  }
}
