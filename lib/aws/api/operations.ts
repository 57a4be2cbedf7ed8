import { groups } from '#functions/index.ts';
import { type ApiName, apiOf, type Group, type Operation } from '#shared/api/operation.ts';
import type { LambdaName } from '../functions/lambdas.ts';

/** An operation and the function that serves it. */
export type RoutedOperation = { name: string; operation: Operation; lambda: LambdaName };

/** Returns the operations of an API, in the order of the contracts. */
export const operationsOf = (api: ApiName): RoutedOperation[] =>
  groups.flatMap((group: Group & { name: LambdaName }) =>
    Object.entries(group.operations)
      .filter(([, operation]) => apiOf(operation) === api)
      .map(([name, operation]) => ({ name, operation, lambda: group.name })),
  );

/**
 * Whether passwords or codes could be guessed by calling an operation: anybody may call it, and it reads the table.
 * Operations with a path parameter are excluded: the parameter is an acknowledgement link with a 128-bit signature,
 * which cannot be guessed, and other callers must not use up the limit of somebody who follows it.
 */
export const isGuessable = ({ auth, method, path, withoutTable }: Operation): boolean =>
  auth === 'anyone' && method !== 'GET' && !withoutTable && !path.includes('{');
