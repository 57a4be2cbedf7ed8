import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledged.ts';
import type { Stage } from '../settings/settings.ts';

/** DynamoDB keeps older states of a table for so many days. */
export const BACKUP_DAYS = 35;

/**
 * The bucket of exports. The jobs delete each after a day; what a job could not delete, the bucket does, a day later at
 * most. A bucket that is not empty cannot be deleted with its stack.
 */
export class Exports extends Bucket {
  constructor(scope: Construct, id: string, { keepData }: Stage) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(this, 'exports, no access log');
  }
}
