import type { IncomingMessage } from 'node:http';
import { ApiError } from '#shared/api/errors.ts';
import type { Group, Operation } from '#shared/api/operation.ts';
import { hashSecret, parseToken } from '#shared/auth/tokens.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';

/** Returns a function that checks whether a request sends device messages. */
export const messageCallsOf = (groups: readonly Group[]) => {
  const calls = groups
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter(({ bodyKind }) => bodyKind === 'messages')
    .map(({ method, path }) => `${method} ${BASE_PATH}${path}`);
  return ({ method }: Pick<IncomingMessage, 'method'>, resource: string): boolean =>
    calls.includes(`${method} ${resource}`);
};

/**
 * Returns a function that checks, before the operation authenticates the caller, whether a request body may exceed 256
 * KiB. Only device messages with a registered device's token may. Other bodies this large are rejected as too large.
 */
export const largeBodies = (isForMessages: ReturnType<typeof messageCallsOf>, table: Table) => {
  const { devices } = store(table);
  return async (request: IncomingMessage, resource: string): Promise<boolean> => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!isForMessages(request, resource) || parseToken(token)?.kind !== 'device') return false;
    // If the table cannot be read, the response is 503 rather than 413, because senders do not retry after a 413
    // response.
    const failUnavailable = () => {
      throw new ApiError('unavailable', { waitSeconds: 2 });
    };
    return (await devices.get(hashSecret(token)).catch(failUnavailable)) !== null;
  };
};
