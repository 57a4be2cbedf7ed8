import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../settings/settings.ts';

/**
 * Returns the removal policy for resources that hold data. With `keepData` they are retained, unless their own creation
 * is rolled back: they are empty then, and each failed first deployment would leave dozens behind.
 */
export const removalPolicyOf = ({ keepData }: Pick<Stage, 'keepData'>): RemovalPolicy =>
  keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
