import { randomUUID } from 'node:crypto';
import type { AuthorizerResponse } from '#functions/workers/authorizer/policy.ts';
import type { Clock } from '../clock.ts';

type Credentials = { clientId: string; username: string | undefined; password: Uint8Array | undefined };
export type Authorize = (event: object) => Promise<AuthorizerResponse>;

/**
 * The event sent by AWS IoT to a custom authorizer.
 * https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
 */
export const authorizerEvent = ({ clientId, username, password }: Credentials) => ({
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
 * Whether the permissions allow an action on a resource. The policies name each resource in full, so there are no
 * wildcards to match.
 */
export const allows = (
  { isAuthenticated, policyDocuments }: AuthorizerResponse,
  action: string,
  resource: string,
): boolean =>
  isAuthenticated &&
  policyDocuments
    .flatMap(({ Statement }) => Statement)
    .some(
      ({ Action, Resource }) =>
        Action === `iot:${action}` && Resource.some((arn) => arn.split(':').slice(5).join(':') === resource),
    );

type Refresh = {
  rights: AuthorizerResponse;
  authorize: () => Promise<AuthorizerResponse>;
  clock: Clock;
  end: (reason: string) => void;
};

/**
 * Reauthorizes a connection at the interval given in the permissions, and ends it once it is no longer allowed. While
 * the authorizer fails, the connection stays open. Returns a function that stops these checks.
 */
export const keepAuthorized = ({ rights, authorize, clock, end }: Refresh): (() => void) => {
  const { refreshAfterInSeconds, disconnectAfterInSeconds } = rights;
  const last = clock.now() + disconnectAfterInSeconds * 1_000;
  let isStopped = false;
  const refresh = async (): Promise<void> => {
    if (clock.now() >= last) return end('it reached its maximum duration');
    const current = await authorize().catch(() => rights);
    if (isStopped) return;
    if (!current.isAuthenticated) return end('its token is no longer valid');
    cancel = clock.after(refreshAfterInSeconds * 1_000, () => void refresh());
  };
  let cancel = clock.after(refreshAfterInSeconds * 1_000, () => void refresh());
  return () => {
    isStopped = true;
    cancel();
  };
};
