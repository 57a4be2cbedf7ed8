import { isIP } from 'node:net';
import { matchesSecret } from '#shared/auth/tokens.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { type APIGatewayProxyEvent, bearerToken, headerValues } from './exchange.ts';

/** The settings for the proxy trusted to report caller addresses. Empty if there is no such proxy. */
export type TrustedProxy = Pick<
  Settings,
  'TRUSTED_PROXY_HEADER' | 'TRUSTED_PROXY_SECRET_HEADER' | 'TRUSTED_PROXY_SECRET'
>;

/**
 * Returns the IP address in a header entry from a proxy. It may have a port (`CloudFront-Viewer-Address`), and IPv6
 * addresses may have brackets.
 */
const addressIn = (entry: string): string | undefined =>
  [entry, entry.replace(/:\d{1,5}$/, '')]
    .map((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .find((text) => isIP(text) !== 0 && !text.includes('%'));

/** Returns the last entry in a header, which the proxy wrote. All earlier entries may come from the caller. */
const lastEntry = (event: APIGatewayProxyEvent, name: string): string => {
  // If a header is sent in several spellings, the order of values is lost, so none of them can be trusted.
  const spellings = Object.keys(event.multiValueHeaders ?? {}).filter((key) => key.toLowerCase() === name);
  return spellings.length === 1 ? (headerValues(event, name).join(',').split(',').at(-1)?.trim() ?? '') : '';
};

const reportedAddress = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string | undefined => {
  if (proxy.TRUSTED_PROXY_SECRET === '') return undefined;
  const [shown = '', ...more] = headerValues(event, proxy.TRUSTED_PROXY_SECRET_HEADER);
  const isTrusted = more.length === 0 && matchesSecret(shown, proxy.TRUSTED_PROXY_SECRET);
  return isTrusted ? addressIn(lastEntry(event, proxy.TRUSTED_PROXY_HEADER)) : undefined;
};

/**
 * Returns the /64 network for an IPv6 address, and the IPv4 address for an IPv4-mapped IPv6 address. IPv4 addresses
 * stay unchanged.
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
 * Returns the address to which rate limits apply. This is the address reported by the trusted proxy if the secret was
 * sent exactly once, otherwise the TCP peer. Entries that are not IP addresses are ignored. IPv6 addresses become their
 * /64 network.
 */
export const addressOf = (event: APIGatewayProxyEvent, proxy: TrustedProxy): string =>
  networkOf(reportedAddress(event, proxy) ?? event.requestContext?.identity?.sourceIp ?? '');

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
/** Matches headers in which proxies report the caller or themselves. The host itself sets X-Forwarded-Proto. */
const FORWARDING = /forwarded|(real|client|connecting)-ip$|^via$|^cdn-loop$/;

type DetailsPolicy = Pick<Settings, 'TRUSTED_PROXY_HEADER' | 'TRUSTS_LOOPBACK' | 'METRICS_TOKEN'>;

/**
 * Whether a request comes from this machine. If so, the TCP peer is a loopback address, the Host header names loopback
 * (which requests from pages on other sites never do), and no header shows that the request was forwarded. Never true
 * if a proxy is expected.
 */
const isOnThisMachine = (event: APIGatewayProxyEvent, { TRUSTED_PROXY_HEADER, TRUSTS_LOOPBACK }: DetailsPolicy) => {
  const names = Object.keys(event.multiValueHeaders ?? {}).map((name) => name.toLowerCase());
  const isForwarded = names.some(
    (name) => name === TRUSTED_PROXY_HEADER || (name !== 'x-forwarded-proto' && FORWARDING.test(name)),
  );
  const [host = '', ...more] = headerValues(event, 'host');
  const isFromLoopback = LOOPBACK.test(event.requestContext?.identity?.sourceIp ?? '');
  return TRUSTS_LOOPBACK && isFromLoopback && LOOPBACK_HOST.test(host) && more.length === 0 && !isForwarded;
};

/**
 * Whether a request may read the metrics and health details of this host, because it has the token or comes from this
 * machine.
 */
export const mayReadDetails = (event: APIGatewayProxyEvent, settings: DetailsPolicy): boolean => {
  const { METRICS_TOKEN } = settings;
  const hasToken = METRICS_TOKEN !== '' && matchesSecret(bearerToken({ event }) ?? '', METRICS_TOKEN);
  return hasToken || isOnThisMachine(event, settings);
};
