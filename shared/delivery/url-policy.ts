import { isIP } from 'node:net';
import { settledWithin } from '../concurrency/settled-within.ts';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { hostOf, isLoopback, isOwnEndpoint, portOf } from './own-endpoints.ts';

export type { TargetPolicy } from './addresses.ts';

/** Why a URL cannot be a target. The words must not change: they appear in answers and delivery logs. */
export type UrlProblem =
  | 'url_too_long'
  | 'url_characters'
  | 'url_invalid'
  | 'url_scheme'
  | 'url_credentials'
  | 'url_fragment'
  | 'url_port'
  | 'url_host'
  | 'url_address';

type UrlCheck = { ok: true; url: URL } | { ok: false; reason: UrlProblem };

/** Gives all addresses of a name as literals. It rejects, or gives none, if the name does not resolve. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const MAX_CHARACTERS = 2_048;
/** Matches names that only this machine and its network can resolve. They are never sent to a public name server. */
export const LOCAL_NAME = /^(?:[^.]+|(?:.+\.)?(?:localhost|internal|local))$/;
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;

/**
 * Checks whether a URL may be called, by its text alone: https, port 443, 8443 or 1024..65535, a public name or
 * address, and no credentials, fragment, backslash, control character or space (D2). The host is checked after the URL
 * parser has normalised it, so that other spellings of an address do not help. Callers must use the returned `url`.
 */
export function checkUrl(text: string, policy: TargetPolicy): UrlCheck {
  if (text.length > 2 * MAX_CHARACTERS || [...text].length > MAX_CHARACTERS) return no('url_too_long');
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text)) return no('url_characters');
  const url = URL.parse(text);
  if (!url) return no('url_invalid');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) return no('url_scheme');
  // The parser accepts missing and extra slashes, with which another parser would find another host.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (!authority) return no('url_invalid');
  if (authority.includes('@')) return no('url_credentials');
  if (text.includes('#')) return no('url_fragment');
  if (!policy.allowPrivate && !isAllowedPort(url.port)) return no('url_port');
  return checkHost(url, policy);
}

/**
 * Checks a URL by `checkUrl`, and all addresses that its name has now: a denied one gives `url_address`. A name that
 * does not resolve within `timeoutMs` is accepted, because each delivery checks again.
 */
export async function checkTarget(
  text: string,
  policy: TargetPolicy,
  resolve: Resolve,
  timeoutMs = 3_000,
): Promise<UrlCheck> {
  const checked = checkUrl(text, policy);
  if (!checked.ok || isIP(hostOf(checked.url)) !== 0) return checked;
  let addresses: readonly string[] = [];
  const found = (async () => (addresses = await resolve(hostOf(checked.url))))();
  await settledWithin(found, timeoutMs);
  return addresses.some((address) => isDenied(address, portOf(checked.url), policy)) ? no('url_address') : checked;
}

function checkHost(url: URL, policy: TargetPolicy): UrlCheck {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isDenied(host, portOf(url), policy) ? no('url_address') : { ok: true, url };
  const name = host.replace(/\.$/, '');
  if (!NAME.test(name)) return no('url_host');
  if (isOwnEndpoint(name, portOf(url), policy.own)) return no('url_address');
  if (!policy.allowLoopback && isLoopback(name)) return no('url_host');
  if (!policy.allowPrivate && LOCAL_NAME.test(name)) return no('url_host');
  return { ok: true, url };
}

function isAllowedPort(port: string): boolean {
  // The parser removes the default port of the scheme.
  return port === '' || Number(port) >= 1_024;
}

function no(reason: UrlProblem): UrlCheck {
  return { ok: false, reason };
}
