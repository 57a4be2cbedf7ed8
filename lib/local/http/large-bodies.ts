import type { IncomingMessage } from 'node:http';
import { ApiError } from '#shared/api/errors.ts';
import type { Group, Operation } from '#shared/api/operation.ts';
import { hashOf, readToken } from '#shared/auth/tokens.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';

/** Gives a function that tells whether a call sends messages of a device. */
export const messageCallsOf = (groups: readonly Group[]) => {
  const calls = groups
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter(({ bodyKind }) => bodyKind === 'messages')
    .map(({ method, path }) => `${method} ${BASE_PATH}${path}`);
  return ({ method }: Pick<IncomingMessage, 'method'>, resource: string): boolean =>
    calls.includes(`${method} ${resource}`);
};

/**
 * Gives a function that tells whether a request may have more than 256 KiB, before the operation authenticates the
 * caller: only a call that sends messages of a device, with the token of a registered device. All other bodies of
 * this size are refused as too large.
 */
export const largeBodies = (isForMessages: ReturnType<typeof messageCallsOf>, table: Table) => {
  const { devices } = store(table);
  return async (request: IncomingMessage, resource: string): Promise<boolean> => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!isForMessages(request, resource) || readToken(token)?.kind !== 'device') return false;
    // When the table cannot be read the answer is 503 and not 413, because a sender does not repeat a request that
    // got a 413.
    const unknown = () => {
      throw new ApiError('unavailable', { waitSeconds: 2 });
    };
    return (await devices.get(hashOf(token)).catch(unknown)) !== null;
  };
};
