import { forHosts } from './for-hosts.ts';
import { shortName, text } from './kinds.ts';
import { oidcRules } from './oidc-rules.ts';
import { declare } from './setting.ts';

/** The settings for logging in through an OpenID Connect identity provider. */
export const oidcSettings = declare({
  OIDC_ISSUER: {
    default: '',
    about: forHosts({
      stage: 'oidcIssuer',
      capabilities: ['ask:issuer'],
      help:
        'OpenID Connect issuer users can also log in through. Also set `OIDC_CLIENT_ID`, `OIDC_NAME` and ' +
        '`OIDC_RULES`.',
      example: 'https://login.example.org/realms/home',
      hostSchema: () =>
        text(/^https?:\/\/[a-z0-9.:[\]-]+(\/[\w.~/-]*)?$/, 'the address of the issuer exactly as in its ID tokens'),
      stageSchema: () =>
        text(
          /^https:\/\/[a-z0-9.:[\]-]+(\/[\w.~/-]*)?$/,
          'the https address of the issuer exactly as in its ID tokens',
        ),
    }),
  },
  OIDC_CLIENT_ID: {
    default: '',
    about: forHosts({
      stage: 'oidcClientId',
      capabilities: ['ask:issuer'],
      help: "This service's client ID at the issuer.",
      example: 'sensor-cloud',
      hostSchema: () => text(/^[!-~]{1,256}$/, '1 to 256 printable characters without spaces'),
    }),
  },
  OIDC_NAME: {
    default: '',
    about: forHosts({
      stage: 'oidcName',
      capabilities: ['ask:issuer'],
      help: 'Name shown for the issuer on the button "Log in with ...".',
      example: 'Home account',
      hostSchema: shortName,
    }),
  },
  OIDC_RULES: {
    default: '[]',
    about: forHosts({
      stage: 'oidcRules',
      capabilities: ['ask:issuer'],
      help: "Permissions granted by the issuer's claims, evaluated at each login: see lib/local/README.md.",
      example: '[{"claim":"groups","value":"nurses","customerId":1,"permissions":["manage_rules"]}]',
      hostSchema: oidcRules,
    }),
  },
  OIDC_CLIENT_SECRET: {
    default: '',
    about: forHosts({
      isSecret: true,
      capabilities: ['ask:issuer'],
      help: "This service's client secret at the issuer. A public client has none.",
      hostSchema: () => text(/^[!-~]{1,1024}$/, '1 to 1024 printable characters without spaces'),
    }),
  },
  OIDC_SCOPES: {
    default: 'openid profile email',
    about: forHosts({
      stage: 'oidcScopes',
      capabilities: ['ask:issuer'],
      help: 'Scopes requested from the issuer.',
      example: 'openid profile email groups',
      hostSchema: () => text(/^openid( [!-~]{1,64}){0,20}$/, 'scopes separated by spaces, starting with openid'),
    }),
  },
});

/** The settings required for an identity provider. Set all of them or none. */
export const requiredOidcSettings = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_NAME', 'OIDC_RULES'] as const;
