import { BlockList, isIP } from 'node:net';
import { type Endpoint, isLoopback, isOwnEndpoint } from './own-endpoints.ts';

/**
 * The targets a stage's webhooks may call besides the public internet.
 * `allowPrivate`: allows http, any port, local names and private addresses.
 * `allowedRanges`: private CIDRs (`10.1.0.0/16`, `fd12::/48`) or single addresses that may be called over https.
 * `allowLoopback`: makes both apply to loopback too. With `named`, only the loopback addresses in `allowedRanges` are
 * allowed. Never set in AWS, because the Lambda runtime listens on loopback.
 * `own`: the service's own addresses, which no webhook may call.
 */
export type TargetPolicy = {
  allowPrivate: boolean;
  allowedRanges: readonly string[];
  allowLoopback?: boolean | 'named';
  own?: readonly Endpoint[];
};

// Denied under every policy. Clouds serve machine metadata at 169.254.0.0/16, 168.63.129.16 and 100.100.100.200. The
// last one is in a range that a stage may allow. No receiver can have an address in the other ranges.
const never4 = ranges([
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
const private4 = ranges(['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']);

// IPv6 has an allow list, because only global unicast can be public. All forms that contain an IPv4 address (mapped,
// compatible, NAT64, 6to4, Teredo) are outside it or excluded below.
const public6 = ranges(['2000::/3']);
const never6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', 'fd00:ec2::/32', 'fd20:ce::/32']);
const private6 = ranges(['::1/128', 'fc00::/7']);

/**
 * Whether webhooks must not connect to `address` on this port. The address is an IPv4 or IPv6 literal without brackets
 * or zone. Anything else is denied. Every policy denies addresses of the service itself, metadata services, link-local,
 * multicast and reserved addresses, and all IPv6 forms of IPv4 addresses. A malformed range in the policy allows
 * nothing.
 */
export function isDenied(address: string, port: number, policy: TargetPolicy): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return true;
  // Each family has a separate list, because BlockList also applies IPv4 rules to mapped IPv6 addresses.
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const [never, local] = version === 4 ? [never4, private4] : [never6, private6];
  if (never.check(address, family) || isOwnEndpoint(address, port, policy.own)) return true;
  if (isLoopback(address) && !policy.allowLoopback) return true;
  const allowsAll = policy.allowPrivate && !(isLoopback(address) && policy.allowLoopback === 'named');
  if (local.check(address, family)) return !allowsAll && !ranges(policy.allowedRanges).check(address, family);
  return version === 6 && !public6.check(address, family);
}

function ranges(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [network = '', prefix] = text.trim().split(/\/(.*)/s);
    const version = isIP(network);
    const bits = version === 4 ? 32 : 128;
    if (version === 0 || network.includes('%')) continue;
    if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) continue;
    const length = prefix === undefined ? bits : Number(prefix);
    if (length > bits) continue;
    list.addSubnet(network, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
