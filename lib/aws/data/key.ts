import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { removalPolicyOf } from './removal.ts';

/**
 * Returns the key that encrypts webhook secrets and tokens: the existing key named by `keyArn`, or else a new one. With
 * an existing key, a stage can decrypt what was encrypted in another region. A new key is retained like the table,
 * because secrets cannot be decrypted without it.
 */
export const createKey = (scope: Construct, { keepData, keyArn, multiRegionKey }: Stage): IKey =>
  keyArn === ''
    ? new Key(scope, 'key', {
        enableKeyRotation: true,
        multiRegion: multiRegionKey,
        removalPolicy: removalPolicyOf({ keepData }),
      })
    : Key.fromKeyArn(scope, 'key', keyArn);
