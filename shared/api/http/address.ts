import { isIP } from 'node:net';
import { isSecret } from '#shared/auth/tokens.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { type APIGatewayProxyEvent, headerValues } from './exchange.ts';

/**
 * The settings of the one proxy in front of the service that may name the address of a caller. They are empty without
 * such a proxy.
 */
export type TrustedProxy = Pick<
  Settings,
  'TRUSTED_PROXY_HEADER' | 'TRUSTED_PROXY_SECRET_HEADER' | 'TRUSTED_PROXY_SECRET'
>;

/**
 * Gives the IP address in a header entry of a proxy: alone, with a port (`CloudFront-Viewer-Address`), and an IPv6 one
 * with or without brackets.
 */
const addressIn = (entry: string): string | undefined =>
  [entry, entry.replace(/:\d{1,5}$/, '')]
    .map((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .find((text) => isIP(text) !== 0 && !text.includes('%'));

/**
 * Gives the last entry of a header. The proxy in front of the service wrote it; the caller may have sent all earlier
 * entries.
 */
const lastEntry = (event: APIGatewayProxyEvent, name: string): string => {
  // If a header came in two spellings, their order is lost, so neither is trusted.
  const spellings = Object.keys(event.multiValueHeaders ?? {}).filter((key) => key.toLowerCase() === name);
  return spellings.length === 1 ? (headerValues(event, name).join(',').split(',').at(-1)?.trim() ?? '') : '';
};

const viewerOf = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string | undefined => {
  if (proxy.TRUSTED_PROXY_SECRET === '') return undefined;
  const [shown = '', ...more] = headerValues(event, proxy.TRUSTED_PROXY_SECRET_HEADER);
  const isTrusted = more.length === 0 && isSecret(shown, proxy.TRUSTED_PROXY_SECRET);
  return isTrusted ? addressIn(lastEntry(event, proxy.TRUSTED_PROXY_HEADER)) : undefined;
};

/**
 * Gives the /64 network of an IPv6 address, the IPv4 address inside an IPv4-mapped one, and an IPv4 address unchanged.
 */
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
 * Gives the address that a request is counted by: the address that the trusted proxy names if the proxy's secret is
 * there exactly once, otherwise the TCP peer. An entry that is no IP address is ignored. An IPv6 address is given as
 * its /64 network.
 */
export const addressOf = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string =>
  networkOf(viewerOf(event, proxy) ?? event.requestContext?.identity?.sourceIp ?? '');

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;
/** Headers by which a proxy names the caller. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Does a call come from the machine itself? Its TCP peer is a loopback address, and nothing says that it was forwarded.
 */
export const isOnThisMachine = (
  event: APIGatewayProxyEvent,
  { TRUSTED_PROXY_HEADER }: Pick<TrustedProxy, 'TRUSTED_PROXY_HEADER'>,
): boolean => {
  const isForwarded = [...FORWARDING, TRUSTED_PROXY_HEADER].some((name) => headerValues(event, name).length > 0);
  return LOOPBACK.test(event.requestContext?.identity?.sourceIp ?? '') && !isForwarded;
};
