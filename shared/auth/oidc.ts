import type { Configuration } from 'openid-client';
import type { Claims } from '../domain/identity/claims.ts';
import { IssuerUnavailable } from './unavailable.ts';

const TIMEOUT_SECONDS = 5;
/** How long (ms) identity provider metadata is cached. */
const METADATA_MS = 3_600_000;

type Client = { issuer: string; clientId: string; clientSecret: string; scopes: string };
/**
 * `login`: the identity provider asks for credentials even if a user is logged in. OpenID Connect Core 1.0, section
 * 3.1.2.1.
 */
export type Prompt = 'login' | undefined;
/** The values a login keeps while the user is at the identity provider. Each has at least 192 random bits. */
type Secrets = { state: string; nonce: string; verifier: string };
/** What the identity provider states about the logged-in user. */
export type OidcIdentity = { issuer: string; subject: string; claims: Claims; idToken: string };

/** Few requests need the library, so the first one that does loads it. https://github.com/panva/openid-client */
const library = () => import('openid-client');

/**
 * Whether the error means that the identity provider is unavailable: it has a timeout code, or is the `fetch` error for
 * a failed connection.
 */
const isUnavailable = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'TypeError' && error.message === 'fetch failed') ||
  ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(String(Object(error).code));

const discover = async ({ issuer, clientId, clientSecret }: Client): Promise<Configuration> => {
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks, None } = await library();
  // The ID token signature is checked even though the token comes directly from the issuer, because http is allowed
  // locally.
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])];
  const secret = clientSecret === '' ? undefined : clientSecret;
  const authentication = secret === undefined ? None() : undefined;
  return discovery(new URL(issuer), clientId, secret, authentication, { timeout: TIMEOUT_SECONDS, execute }).catch(
    (cause: unknown) => {
      throw new IssuerUnavailable('could not read the metadata of the issuer', { cause });
    },
  );
};

/**
 * Logs users in through an OpenID Connect identity provider, using the authorization code flow with PKCE (OpenID
 * Connect Core 1.0, section 3.1; RFC 7636). Each method throws IssuerUnavailable if the provider does not respond.
 */
export const createIssuer = (client: Client, now: () => number) => {
  let known: { since: number; found: Promise<Configuration> } | undefined;
  const configuration = async (): Promise<Configuration> => {
    if (!known || now() - known.since > METADATA_MS) known = { since: now(), found: discover(client) };
    const current = known;
    return current.found.catch((error: unknown) => {
      if (known === current) known = undefined;
      throw error;
    });
  };
  return {
    /** Returns the URL where a browser logs in. */
    authorize: async ({ state, nonce, verifier }: Secrets, redirectUri: string, prompt: Prompt): Promise<string> => {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const challenge = await calculatePKCECodeChallenge(verifier);
      const parameters = {
        redirect_uri: redirectUri,
        scope: client.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // With max_age, the identity provider also states when the user authenticated.
        ...(prompt && { prompt, max_age: '0' }),
      };
      return buildAuthorizationUrl(await configuration(), parameters).href;
    },

    /**
     * Redeems the callback URL the browser returned to. Returns null if anything about it is wrong. `refused` is called
     * with the reason, which contains no values from the callback.
     */
    redeem: async (
      callback: URL,
      { state, nonce, verifier }: Secrets,
      refused: (reason: string) => void,
    ): Promise<OidcIdentity | null> => {
      const { authorizationCodeGrant, fetchUserInfo } = await library();
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        const tokens = await authorizationCodeGrant(config, callback, checks);
        const claims = tokens.claims();
        if (!claims || tokens.id_token === undefined) return null;
        const { userinfo_endpoint: endpoint, issuer } = config.serverMetadata();
        const info = endpoint === undefined ? {} : await fetchUserInfo(config, tokens.access_token, claims.sub);
        return { issuer, subject: claims.sub, claims: { ...claims, ...info }, idToken: tokens.id_token };
      } catch (cause) {
        if (isUnavailable(cause)) throw new IssuerUnavailable('the issuer did not respond', { cause });
        const { code, error = '', message } = Object(cause);
        refused(`${code} ${error}: ${message}`);
        return null;
      }
    },

    /**
     * Returns the URL where a browser can log out of the identity provider as well, or null if there is none.
     * RP-Initiated Logout 1.0.
     */
    endSession: async (idToken: string, returnTo: string): Promise<string | null> => {
      const { buildEndSessionUrl } = await library();
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo };
      return buildEndSessionUrl(config, parameters).href;
    },
  };
};
export type Issuer = ReturnType<typeof createIssuer>;
