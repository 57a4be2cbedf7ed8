import { oidcClientId, oidcIssuer, oidcName, oidcRules, oidcScopes } from '#shared/settings/oidc.ts';
import { type Setting, text } from '#shared/settings/setting.ts';
import { declare } from './declare.ts';

/** Reads a setting that may be empty, and that has this form otherwise. */
const orEmpty = (setting: Setting<string>, given: unknown, form = /^/): string | null =>
  given === '' ? '' : form.test(String(given)) ? setting.read(given) : null;

/** The settings about the login at an issuer of OpenID Connect. */
export const oidcSettings = {
  oidcIssuer: declare(
    'Issuer of OpenID Connect at which people can log in, with `oidcClientId`, `oidcName` and `oidcRules`; empty: none.',
    {
      ...oidcIssuer,
      wants: `https:// and ${oidcIssuer.wants}`,
      read: (given) => orEmpty(oidcIssuer, given, /^https:/),
    },
  ),
  oidcClientId: declare('The id of this service at that issuer.', {
    ...oidcClientId,
    read: (given) => orEmpty(oidcClientId, given),
  }),
  oidcSecretName: declare(
    'Name or ARN of a secret of AWS Secrets Manager whose text is the secret of this service at that issuer; empty: it has none.',
    text(/^$|^[\w/+=.@:-]{1,512}$/, '', 'the name or the ARN of a secret', 'sensor-cloud/oidc'),
  ),
  oidcName: declare('How people call that issuer: "Log in with ...".', {
    ...oidcName,
    read: (given) => orEmpty(oidcName, given),
  }),
  oidcScopes: declare('The scopes that are asked for there.', oidcScopes),
  oidcRules: declare('What the claims of that issuer let people do.', oidcRules),
} as const;
