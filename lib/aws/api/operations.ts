import { groups } from '#functions/index.ts';
import { type ApiName, apiOf, type Group, type Operation } from '#shared/api/operation.ts';
import type { LambdaName } from '../functions/lambdas.ts';

/** An operation and the function behind it. */
export type RoutedOperation = { name: string; operation: Operation; lambda: LambdaName };

/** Returns all operations in an API, in contract order. */
export const operationsOf = (api: ApiName): RoutedOperation[] =>
  groups.flatMap((group: Group & { name: LambdaName }) =>
    Object.entries(group.operations)
      .filter(([, operation]) => apiOf(operation) === api)
      .map(([name, operation]) => ({ name, operation, lambda: group.name })),
  );

/**
 * Whether an operation could be used to guess passwords or codes: anyone may call it, and it reads the table.
 * Operations with a path parameter are excluded. There, the parameter is an acknowledgement link with a 128-bit
 * signature, which cannot be guessed, and other callers must not use up the limit for someone following such a link.
 */
export const isGuessable = ({ auth, method, path, withoutTable }: Operation): boolean =>
  auth === 'anyone' && method !== 'GET' && !withoutTable && !path.includes('{');
