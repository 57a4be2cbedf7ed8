import { RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from './settings.ts';

/**
 * Creates the key that encrypts secrets and tokens of webhooks. Without it they cannot be read, so it is retained
 * like the table.
 */
export const createKey = (scope: Construct, { keepData, multiRegionKey }: Stage): Key =>
  new Key(scope, 'key', {
    enableKeyRotation: true,
    multiRegion: multiRegionKey,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
