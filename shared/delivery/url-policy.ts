import { isIP } from 'node:net';
import { settledWithin } from '../concurrency/settled-within.ts';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { hostOf, isLoopback, isOwnEndpoint, portOf } from './own-endpoints.ts';

export type { TargetPolicy } from './addresses.ts';

/** Why a URL cannot be a target. These words must not change: they appear in responses and delivery logs. */
export type UrlProblem =
  | 'url_too_long'
  | 'url_characters'
  | 'url_invalid'
  | 'url_scheme'
  | 'url_credentials'
  | 'url_fragment'
  | 'url_port'
  | 'url_host'
  | 'url_address'
  | 'url_loopback';

type UrlCheck = { ok: true; url: URL } | { ok: false; reason: UrlProblem };

/** Returns all addresses of a name as literals. Rejects, or returns none, if the name does not resolve. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>;

const MAX_CHARACTERS = 2_048;
/** Names that only this machine and its network can resolve. They are never sent to a public name server. */
export const LOCAL_NAME = /^(?:[^.]+|(?:.+\.)?(?:localhost|internal|local))$/;
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;

/**
 * Checks from the text alone whether a URL may be called: https, port 443 or 1024..65535, a public name or address, and
 * no credentials, fragment, backslash, control character or space (D2). The host is checked after the URL parser has
 * normalized it, so alternative spellings of an address do not help. Callers must use the returned `url`.
 */
export function checkUrl(text: string, policy: TargetPolicy): UrlCheck {
  if (text.length > 2 * MAX_CHARACTERS || [...text].length > MAX_CHARACTERS) return rejected('url_too_long');
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text)) return rejected('url_characters');
  const url = URL.parse(text);
  if (!url) return rejected('url_invalid');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) return rejected('url_scheme');
  // The parser accepts missing and extra slashes, which a different parser could read as a different host.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (!authority) return rejected('url_invalid');
  if (authority.includes('@')) return rejected('url_credentials');
  if (text.includes('#')) return rejected('url_fragment');
  if (!policy.allowPrivate && !isAllowedPort(url.port)) return rejected('url_port');
  return checkHost(url, policy);
}

/**
 * Checks a URL with `checkUrl`, and all current addresses of the host name. A denied address results in `url_address`.
 * A name that does not resolve within `timeoutMs` is accepted, because each delivery checks again.
 */
export async function checkTarget(
  text: string,
  policy: TargetPolicy,
  resolve: ResolveName,
  timeoutMs = 3_000,
): Promise<UrlCheck> {
  const checked = checkUrl(text, policy);
  if (!checked.ok || isIP(hostOf(checked.url)) !== 0) return checked;
  let addresses: readonly string[] = [];
  const found = (async () => (addresses = await resolve(hostOf(checked.url))))();
  await settledWithin(found, timeoutMs);
  return addresses.some((address) => isDenied(address, portOf(checked.url), policy))
    ? rejected('url_address')
    : checked;
}

function checkHost(url: URL, policy: TargetPolicy): UrlCheck {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isDenied(host, portOf(url), policy) ? rejected('url_address') : { ok: true, url };
  const name = host.replace(/\.$/, '');
  if (!NAME.test(name)) return rejected('url_host');
  if (isOwnEndpoint(name, portOf(url), policy.own)) return rejected('url_address');
  if (!policy.allowLoopback && isLoopback(name)) return rejected('url_host');
  if (!policy.allowPrivate && LOCAL_NAME.test(name)) return rejected('url_host');
  return { ok: true, url };
}

function isAllowedPort(port: string): boolean {
  // The parser removes the default port for the scheme.
  return port === '' || Number(port) >= 1_024;
}

function rejected(reason: UrlProblem): UrlCheck {
  return { ok: false, reason };
}
