import { isIP } from 'node:net';
import { isSecret } from '../auth/tokens.ts';
import type { Settings } from '../env.ts';
import { type APIGatewayProxyEvent, headerValues } from './exchange.ts';

/** The one hop in front of the service that may tell whom it speaks for. Empty: there is none. */
export type TrustedProxy = Pick<
  Settings,
  'TRUSTED_PROXY_HEADER' | 'TRUSTED_PROXY_SECRET_HEADER' | 'TRUSTED_PROXY_SECRET'
>;

/** An address as proxies write it: alone, with a port (`CloudFront-Viewer-Address`), an IPv6 one perhaps in brackets. */
const addressIn = (entry: string): string | undefined =>
  [entry, entry.replace(/:\d{1,5}$/, '')]
    .map((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .find((text) => isIP(text) !== 0 && !text.includes('%'));

/** The last entry of a header, which the hop before us wrote: those before it are whatever the caller sent. */
const lastEntry = (event: APIGatewayProxyEvent, name: string): string => {
  // Which of two spellings came last is not known any more.
  const spellings = Object.keys(event.multiValueHeaders ?? {}).filter((key) => key.toLowerCase() === name);
  return spellings.length === 1 ? (headerValues(event, name).join(',').split(',').at(-1)?.trim() ?? '') : '';
};

const viewerOf = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string | undefined => {
  if (proxy.TRUSTED_PROXY_SECRET === '') return undefined;
  const [shown = '', ...more] = headerValues(event, proxy.TRUSTED_PROXY_SECRET_HEADER);
  const isTrusted = more.length === 0 && isSecret(shown, proxy.TRUSTED_PROXY_SECRET);
  return isTrusted ? addressIn(lastEntry(event, proxy.TRUSTED_PROXY_HEADER)) : undefined;
};

/** An IPv6 network of /64 counts as one, an IPv4 address inside of IPv6 as itself. */
const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const written = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = written.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : groups.slice(0, 4).join(':');
};

/**
 * Where a request came from: the address that the trusted proxy names, which its secret proves once, else the TCP peer.
 * What is no address counts for nothing. The /64 network of an IPv6 address.
 */
export const addressOf = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string =>
  networkOf(viewerOf(event, proxy) ?? event.requestContext?.identity?.sourceIp ?? '');
