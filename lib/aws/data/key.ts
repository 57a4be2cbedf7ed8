import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { removalPolicyOf } from './removal.ts';

/**
 * Returns the key that encrypts secrets and tokens of webhooks: a new one, or that of `keyArn`, so that another region
 * can decrypt what this one encrypted. A new key is retained like the table, because secrets cannot be decrypted
 * without it.
 */
export const createKey = (scope: Construct, { keepData, keyArn, multiRegionKey }: Stage): IKey =>
  keyArn === ''
    ? new Key(scope, 'key', {
        enableKeyRotation: true,
        multiRegion: multiRegionKey,
        removalPolicy: removalPolicyOf({ keepData }),
      })
    : Key.fromKeyArn(scope, 'key', keyArn);
