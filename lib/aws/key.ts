import { RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from './settings.ts';

/** The key that secrets and tokens of webhooks are kept with. Whoever loses it loses them: it stays as the table does. */
export const createKey = (scope: Construct, { keepData }: Stage): Key =>
  new Key(scope, 'key', {
    enableKeyRotation: true,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
