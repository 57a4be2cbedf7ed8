import type { Operation } from '#shared/api/operation.ts';
import { permittedClient } from '../contracts/operations.ts';
import type { World } from '../contracts/world.ts';

/** The kinds of credentials for generated requests. */
export const credentials = [
  'nobody',
  'device',
  'provisioner',
  'user',
  'bad',
  'browser',
  'browser with a token',
  'forged',
  'forged with a token',
] as const;
export type Credential = 'rightful' | (typeof credentials)[number];

type Sender = Readonly<Record<string, string>>;

const bearer = (token: string | undefined): Sender => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/**
 * Logs our user in and returns the cookies. Each request needs a new login, because a forged request ends the session.
 */
const browser = async ({ anybody, ours: { username, password } }: World) => {
  const { headers } = await anybody.call('POST', '/users/login', { username, password });
  const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const csrf = pairs.find((pair) => pair.startsWith('PSCSRF='))?.slice('PSCSRF='.length) ?? '';
  return { cookie: pairs.join('; '), csrf, token: headers.get('token') ?? '' };
};

const ofBrowser = async (credential: Credential, world: World): Promise<Sender> => {
  const { cookie, csrf, token } = await browser(world);
  return {
    cookie,
    ...(!credential.startsWith('forged') && { 'x-csrf-token': csrf }),
    ...(credential.endsWith('with a token') && bearer(token)),
  };
};

/** Returns the request headers for a credential. */
export const senderHeaders = async (credential: Credential, operation: Operation, world: World): Promise<Sender> => {
  if (/^(browser|forged)/.test(credential)) return ofBrowser(credential, world);
  // Logging out needs a separate session.
  if (credential === 'rightful' || operation.auth === 'session')
    return bearer((await permittedClient(operation, world)).token);
  if (credential === 'device') return bearer(world.byDevice.token);
  if (credential === 'provisioner') return bearer(world.byProvisioner.token);
  if (credential === 'user') return bearer(world.ours.client.token);
  return bearer(credential === 'bad' ? world.bad['an expired token'].token : undefined);
};

/** Whether a request uses session cookies without the CSRF token. Logins may do so. */
export const isForged = (
  credential: Credential,
  { csrfExempt }: Operation,
  sent: { method: string; headers: Record<string, unknown> },
): boolean =>
  !csrfExempt &&
  credential.startsWith('forged') &&
  !['GET', 'HEAD', 'OPTIONS'].includes(sent.method) &&
  String(sent.headers.cookie).startsWith('PSAUTHTOKEN=ses_');
