import { RemovalPolicy } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';

/**
 * The key that encrypts secrets and tokens of webhooks: a new one, or that of `keyArn`, with which another region opens what
 * this one sealed. Without it they cannot be read, so a new one is retained like the table.
 */
export const createKey = (scope: Construct, { keepData, keyArn, multiRegionKey }: Stage): IKey =>
  keyArn === ''
    ? new Key(scope, 'key', {
        enableKeyRotation: true,
        multiRegion: multiRegionKey,
        removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      })
    : Key.fromKeyArn(scope, 'key', keyArn);
