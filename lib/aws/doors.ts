import { groups } from '../../functions/index.ts';
import { type Door, doorOf, type Group, type Operation } from '../../shared/api/operation.ts';
import type { LambdaName } from './lambdas.ts';

/** An operation and the function that answers it. */
export type RoutedOperation = { name: string; operation: Operation; lambda: LambdaName };

/** The operations that are called through a door, in the order of the contracts. */
export const operationsAt = (door: Door): RoutedOperation[] =>
  groups.flatMap((group: Group & { name: LambdaName }) =>
    Object.entries(group.operations)
      .filter(([, operation]) => doorOf(operation) === door)
      .map(([name, operation]) => ({ name, operation, lambda: group.name })),
  );

/** Can a password or a code be guessed at an operation? Anybody may call it, and it looks into the table. */
export const isGuessable = ({ auth, method, withoutTable }: Operation): boolean =>
  auth === 'anyone' && method !== 'GET' && !withoutTable;
