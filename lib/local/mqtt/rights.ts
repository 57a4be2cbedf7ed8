import { randomUUID } from 'node:crypto';
import type { Rights } from '../../../functions/workers/authorizer/rights.ts';
import type { Clock } from '../clock.ts';

type Credentials = { clientId: string; username: string | undefined; password: Uint8Array | undefined };
export type Authorize = (event: object) => Promise<Rights>;

/** What AWS IoT asks a custom authorizer. https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html */
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

/** May it be done by these rights? They name each resource in full: there is no wildcard to look for. */
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
 * Asks again and again, as often as the rights say, whether a connection may go on, and ends it when not. Gives what
 * stops that. As long as nobody can be asked, it goes on.
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
