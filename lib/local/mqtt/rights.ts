import { randomUUID } from 'node:crypto';
import type { Rights } from '#functions/workers/authorizer/rights.ts';
import type { Clock } from '../clock.ts';

type Credentials = { clientId: string; username: string | undefined; password: Uint8Array | undefined };
export type Authorize = (event: object) => Promise<Rights>;

/**
 * The event that AWS IoT sends to a custom authorizer.
 * https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
 */
export const connecting = ({ clientId, username, password }: Credentials) => ({
  signatureVerified: false,
  protocols: ['mqtt'],
  protocolData: {
    mqtt: {
      clientId,
      ...(username !== undefined && { username }),
      ...(password && { password: Buffer.from(password).toString('base64') }),
    },
  },
  connectionMetadata: { id: randomUUID() },
});

/**
 * Do these rights allow an action on a resource? The policies name each resource in full, so there are no wildcards
 * to match.
 */
export const allows = ({ isAuthenticated, policyDocuments }: Rights, action: string, resource: string): boolean =>
  isAuthenticated &&
  policyDocuments
    .flatMap(({ Statement }) => Statement)
    .some(
      ({ Action, Resource }) =>
        Action === `iot:${action}` && Resource.some((arn) => arn.split(':').slice(5).join(':') === resource),
    );

type Refreshing = { rights: Rights; again: () => Promise<Rights>; clock: Clock; end: (why: string) => void };

/**
 * Asks the authorizer again, at the interval that the rights give, whether a connection may go on, and ends it when
 * it may not. While the authorizer fails, the connection goes on. Gives a function that stops this.
 */
export const keepAsking = ({ rights, again, clock, end }: Refreshing): (() => void) => {
  const { refreshAfterInSeconds, disconnectAfterInSeconds } = rights;
  const last = clock.now() + disconnectAfterInSeconds * 1_000;
  let isStopped = false;
  const ask = async (): Promise<void> => {
    if (clock.now() >= last) return end('it lasted long enough');
    const now = await again().catch(() => rights);
    if (isStopped) return;
    if (!now.isAuthenticated) return end('its token is nothing any more');
    cancel = clock.after(refreshAfterInSeconds * 1_000, () => void ask());
  };
  let cancel = clock.after(refreshAfterInSeconds * 1_000, () => void ask());
  return () => {
    isStopped = true;
    cancel();
  };
};
