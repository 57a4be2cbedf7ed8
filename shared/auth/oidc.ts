import type { Configuration } from 'openid-client';
import type { Claims } from '../domain/identity/claims.ts';
import { IssuerUnavailable } from './unavailable.ts';

/** How long (s) a call of the issuer may take, and for how long (ms) what it says of itself counts. */
const TIMEOUT = 5;
const KNOWN_FOR = 3_600_000;

type Client = { issuer: string; clientId: string; clientSecret: string; scopes: string };
/** `login`: the issuer asks who that is even where somebody is logged in. OpenID Connect Core 1.0, section 3.1.2.1. */
export type Prompt = 'login' | undefined;
/** What a login keeps while the user is at the issuer. Each is 192 random bits or more. */
type Secrets = { state: string; nonce: string; verifier: string };
/** What the issuer says of somebody who logged in. */
export type Identity = { issuer: string; subject: string; claims: Claims; idToken: string };

/** Few calls need the library, so it is loaded with the first one. https://github.com/panva/openid-client */
const library = () => import('openid-client');

/** Was the issuer away, and not the answer wrong? A timeout has its own code, a connection is fetch's own error. */
const isAway = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'TypeError' && error.message === 'fetch failed') ||
  ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(String(Object(error).code));

const discover = async ({ issuer, clientId, clientSecret }: Client): Promise<Configuration> => {
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks, None } = await library();
  // The signature of the ID token is checked although it comes from the issuer itself: http is allowed locally.
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])];
  const secret = clientSecret === '' ? undefined : clientSecret;
  const how = secret === undefined ? None() : undefined;
  return discovery(new URL(issuer), clientId, secret, how, { timeout: TIMEOUT, execute }).catch((cause: unknown) => {
    throw new IssuerUnavailable('the issuer does not say how to log in', { cause });
  });
};

/**
 * Logs people in at an issuer of OpenID Connect, by an authorization code with PKCE (OpenID Connect Core 1.0, section 3.1;
 * RFC 7636). Each method throws IssuerUnavailable if the issuer does not answer.
 */
export const issuerOf = (client: Client, now: () => number) => {
  let known: { since: number; found: Promise<Configuration> } | undefined;
  const configuration = async (): Promise<Configuration> => {
    if (!known || now() - known.since > KNOWN_FOR) known = { since: now(), found: discover(client) };
    const asked = known;
    return asked.found.catch((error: unknown) => {
      if (known === asked) known = undefined;
      throw error;
    });
  };
  return {
    /** Gives the address where a browser logs in. */
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
        // With max_age an issuer says when it asked.
        ...(prompt && { prompt, max_age: '0' }),
      };
      return buildAuthorizationUrl(await configuration(), parameters).href;
    },

    /**
     * Redeems the answer that the browser came back with (a whole address). Null if anything about it is wrong: what that
     * is, without what it says, is told to `refused`.
     */
    redeem: async (
      answer: URL,
      { state, nonce, verifier }: Secrets,
      refused: (reason: string) => void,
    ): Promise<Identity | null> => {
      const { authorizationCodeGrant, fetchUserInfo } = await library();
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        const tokens = await authorizationCodeGrant(config, answer, checks);
        const claims = tokens.claims();
        if (!claims || tokens.id_token === undefined) return null;
        const { userinfo_endpoint: more, issuer } = config.serverMetadata();
        const info = more === undefined ? {} : await fetchUserInfo(config, tokens.access_token, claims.sub);
        return { issuer, subject: claims.sub, claims: { ...claims, ...info }, idToken: tokens.id_token };
      } catch (cause) {
        if (isAway(cause)) throw new IssuerUnavailable('the issuer did not answer', { cause });
        const { code, error = '', message } = Object(cause);
        refused(`${code} ${error}: ${message}`);
        return null;
      }
    },

    /** Gives the address where a browser logs out of the issuer too; null if it has none. RP-Initiated Logout 1.0. */
    endSession: async (idToken: string, returnTo: string): Promise<string | null> => {
      const { buildEndSessionUrl } = await library();
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo };
      return buildEndSessionUrl(config, parameters).href;
    },
  };
};
export type Issuer = ReturnType<typeof issuerOf>;
