import type { Stack } from 'aws-cdk-lib';
import type { LambdaName } from './lambdas.ts';

/** What a function is called in the account, such as SensorCloud-prod-webhooks: known before there is one. */
export const functionNameOf = ({ stackName }: Stack, name: LambdaName): string => `${stackName}-${name}`;
