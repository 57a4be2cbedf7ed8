import type { Stack } from 'aws-cdk-lib';
import type { LambdaName } from './lambdas.ts';

/** Returns a function name, such as SensorCloud-prod-webhooks. It is known before the function exists. */
export const functionNameOf = ({ stackName }: Stack, name: LambdaName): string => `${stackName}-${name}`;
