import { BlockList, isIP } from 'node:net';
import { type Door, isLoopback, isOwnDoor } from './own-doors.ts';

/**
 * What a stage lets webhooks call besides the public internet.
 * `allowPrivate`: http, any port, local names, private addresses.
 * `allowedRanges`: private CIDRs (`10.1.0.0/16`, `fd12::/48`) or single addresses that may be called over https.
 * `allowLoopback`: what these two allow may be loopback. Only for a host on one's own machine: on loopback Lambda's
 * runtime takes its calls.
 * `own`: the service's own doors, which no webhook may call.
 */
export type TargetPolicy = {
  allowPrivate: boolean;
  allowedRanges: readonly string[];
  allowLoopback?: boolean;
  own?: readonly Door[];
};

// Denied whatever the policy says. 169.254.0.0/16 and 168.63.129.16 answer for the machine itself, and so does
// 100.100.100.200 inside a range that a stage may allow; the others have no receiver anybody could mean.
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

// IPv6 is an allow list: only global unicast can be public, and everything that carries an IPv4 address inside
// (mapped, compatible, NAT64, 6to4, Teredo) lies outside it or is cut out of it.
const public6 = ranges(['2000::/3']);
const never6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', 'fd00:ec2::/32', 'fd20:ce::/32']);
const private6 = ranges(['::1/128', 'fc00::/7']);

/**
 * Whether a webhook must not connect to `address`, an IPv4 or IPv6 literal without brackets or zone, on this port.
 * Anything else than such a literal is denied. Own doors, metadata services, link-local, multicast, reserved addresses and every
 * IPv6 form of an IPv4 address are denied under every policy. A malformed range of the policy allows nothing.
 */
export function isDenied(address: string, port: number, policy: TargetPolicy): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return true;
  // The lists are kept apart by family because BlockList applies IPv4 rules to mapped IPv6 addresses as well.
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const [never, local] = version === 4 ? [never4, private4] : [never6, private6];
  if (never.check(address, family) || isOwnDoor(address, port, policy.own)) return true;
  if (isLoopback(address) && !policy.allowLoopback) return true;
  if (local.check(address, family)) return !policy.allowPrivate && !ranges(policy.allowedRanges).check(address, family);
  return version === 6 && !public6.check(address, family);
}

function ranges(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [network = '', prefix] = text.trim().split(/\/(.*)/s);
    const version = isIP(network);
    const bits = version === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (version === 0 || network.includes('%') || length < 0 || length > bits) continue;
    list.addSubnet(network, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
