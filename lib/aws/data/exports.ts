import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledged.ts';
import type { Stage } from '../settings/settings.ts';
import { removalPolicyOf } from './removal.ts';

/** How far back (days) DynamoDB point-in-time recovery goes. */
export const BACKUP_DAYS = 35;

/**
 * The bucket for exports. Jobs delete each export after a day. If that fails, the lifecycle rule deletes the export at
 * most a day later. Only an empty bucket can be deleted with the stack, so `npm run destroy` empties it.
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
