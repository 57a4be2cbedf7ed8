import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../shared/api/errors.ts';
import { BASE_PATH, type Group, type Operation } from '../../shared/api/operation.ts';
import { hashOf, readToken } from '../../shared/auth/tokens.ts';
import type { Table } from '../../shared/store/client.ts';
import { storeOf } from '../../shared/store/store.ts';

/** Tells whether a call hands in messages of a device. */
export const messageCallsOf = (groups: readonly Group[]) => {
  const calls = groups
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter(({ bodyKind }) => bodyKind === 'messages')
    .map(({ method, path }) => `${method} ${BASE_PATH}${path}`);
  return ({ method }: Pick<IncomingMessage, 'method'>, resource: string): boolean =>
    calls.includes(`${method} ${resource}`);
};

/**
 * Tells whether more than 256 KiB of a request may be read, before the operation itself asks who is there: only where
 * messages of devices are handed in, and only for a device that is registered. All else would be refused as too large.
 */
export const largeBodies = (isForMessages: ReturnType<typeof messageCallsOf>, table: Table) => {
  const { sensors } = storeOf(table, ['sensors.deviceOf']);
  return async (request: IncomingMessage, resource: string): Promise<boolean> => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!isForMessages(request, resource) || readToken(token)?.kind !== 'device') return false;
    // Not knowing is no reason to call a body too large: its sender would not come again.
    const unknown = () => {
      throw new ApiError('unavailable', { waitSeconds: 2 });
    };
    return (await sensors.deviceOf(hashOf(token)).catch(unknown)) !== null;
  };
};
