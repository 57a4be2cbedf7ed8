import { isIP } from 'node:net';
import { isDenied } from './addresses.ts';
import { hostOf, isLoopback, portOf } from './own-endpoints.ts';

/** Whether others can connect to the host, and which loopback addresses it still allows webhooks to call. */
export type LoopbackPolicy = { ON_NETWORK: boolean; ALLOWED_TARGET_RANGES: readonly string[] };

/**
 * Whether a webhook URL leads to loopback on a host that others can connect to, even though the host does not allow
 * this address. Such webhooks can no longer be created. Only the URL itself is examined, without resolving names.
 */
export const isUnnamedLoopback = (
  url: string,
  { ON_NETWORK, ALLOWED_TARGET_RANGES: allowedRanges }: LoopbackPolicy,
): boolean => {
  const target = ON_NETWORK ? URL.parse(url) : null;
  if (!target) return false;
  const host = hostOf(target).replace(/\.$/, '');
  const address = isIP(host) === 0 ? '127.0.0.1' : host;
  return (
    isLoopback(host) && isDenied(address, portOf(target), { allowPrivate: true, allowLoopback: 'named', allowedRanges })
  );
};
