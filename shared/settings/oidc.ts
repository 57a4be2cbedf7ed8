import { OidcRules } from '../domain/identity/claims.ts';
import { parsed, type Setting, text } from './setting.ts';

// Kinds of settings about the login at an issuer of OpenID Connect.

/** The issuer as its ID tokens name it: no query, no fragment. */
export const oidcIssuer = text(
  /^https?:\/\/[a-z0-9.:[\]-]+(\/[\w.~/-]*)?$/,
  '',
  'the issuer exactly as it names itself',
  'https://login.example.org/realms/home',
);
export const oidcClientId = text(/^[!-~]{1,256}$/, '', '1 to 256 printable characters without spaces', 'sensor-cloud');
export const oidcSecret: Setting<string> = {
  ...text(/^[!-~]{1,1024}$/, '', '1 to 1024 printable characters without spaces'),
  isSecret: true,
};
export const oidcName = text(/^[^\p{Cc}\p{Cs}]{1,64}$/u, '', '1 to 64 characters, none of them a control character');
export const oidcScopes = text(
  /^openid( [!-~]{1,64}){0,20}$/,
  'openid profile email',
  'names of scopes with spaces between them, the first of them openid',
  'openid profile email groups',
);
export const oidcRules: Setting<OidcRules> = {
  otherwise: [],
  wants: 'a JSON array of objects with claim and value, and some of customerId, permissions and isAdmin',
  example: '[{"claim":"groups","value":"nurses","customerId":1,"permissions":["manage_rules"]}]',
  read: (given) => OidcRules.safeParse(parsed(given)).data ?? null,
};
