import { groups } from '#functions/index.ts';
import { type ApiName, apiOf, type Group, type Operation } from '#shared/api/operation.ts';
import type { LambdaName } from '../functions/lambdas.ts';

/** An operation and the function that answers it. */
export type RoutedOperation = { name: string; operation: Operation; lambda: LambdaName };

/** The operations that are called through an API, in the order of the contracts. */
export const operationsOf = (api: ApiName): RoutedOperation[] =>
  groups.flatMap((group: Group & { name: LambdaName }) =>
    Object.entries(group.operations)
      .filter(([, operation]) => apiOf(operation) === api)
      .map(([name, operation]) => ({ name, operation, lambda: group.name })),
  );

/**
 * Can a password or a code be guessed at an operation? Anybody may call it, and it looks into the table. What a path
 * carries is the address of an alarm, with a signature of 128 bits: nobody guesses it, and nobody else's calls may be in
 * the way of who follows it.
 */
export const isGuessable = ({ auth, method, path, withoutTable }: Operation): boolean =>
  auth === 'anyone' && method !== 'GET' && !withoutTable && !path.includes('{');
