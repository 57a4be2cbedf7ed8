import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isDenied } from '#shared/delivery/addresses.ts';
import { createHttpClient } from '#shared/delivery/http-client.ts';

const strict = { allowPrivate: false, allowedRanges: [] };
const open = { allowPrivate: true, allowedRanges: [], allowLoopback: true };

const edges: [string, inside: string[], outside: string[]][] = [
  ['0.0.0.0/8', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0/8', ['127.0.0.0', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['168.63.129.16', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['169.254.0.0/16', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0/24', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['192.88.99.0/24', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['198.18.0.0/15', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0/24', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4 and 240.0.0.0/4', ['224.0.0.0', '240.0.0.0', '255.255.255.255'], ['223.255.255.255']],
  [
    '::/0 except 2000::/3',
    ['::', '::1', '1fff:ffff::', '4000::', 'fc00::1', 'fe80::1', 'ff02::1'],
    ['2400::1', '3ffe::1'],
  ],
  ['2001::/23', ['2001::', '2001:1ff:ffff::'], ['2001:200::']],
  ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff::'], ['2001:db7:ffff::', '2001:db9::']],
  ['2002::/16', ['2002::', '2002:ffff::'], ['2003::']],
  ['3fff::/20', ['3fff::', '3fff:fff::'], ['3fff:1000::', '3ffe:ffff::']],
];

const ipv4InIpv6 = {
  mapped: '::ffff:8.8.8.8',
  'mapped in hexadecimal': '::ffff:808:808',
  compatible: '::8.8.8.8',
  translated: '::ffff:0:8.8.8.8',
  NAT64: '64:ff9b::8.8.8.8',
  'local NAT64': '64:ff9b:1::8.8.8.8',
  '6to4': '2002:808:808::1',
  Teredo: '2001:0:808:808::1',
};

describe('isDenied', () => {
  it.each(edges)('isDenied denies addresses inside %s but not outside', (_, inside, outside) => {
    for (const address of inside) expect(isDenied(address, 443, strict), address).toBe(true);
    for (const address of outside) expect(isDenied(address, 443, strict), address).toBe(false);
  });

  it.each(Object.entries(ipv4InIpv6))(
    'isDenied denies even a public IPv4 address in %s form under every policy',
    (_, form) => {
      expect(isDenied(form, 443, strict)).toBe(true);
      expect(isDenied(form, 443, open)).toBe(true);
    },
  );

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2001:4860:4860::8888', '2A00:1450:4001:80b::200e'])(
    'isDenied accepts the public address %s',
    (address) => expect(isDenied(address, 443, strict)).toBe(false),
  );

  it.each(['', 'localhost', '010.0.0.1', '8.8.8', '0x8.8.8.8', '[2400::1]', '2400::1%eth0', '8.8.8.8/32', ' 8.8.8.8'])(
    'isDenied denies "%s", which is not a plain literal',
    (text) => {
      expect(isDenied(text, 443, strict)).toBe(true);
      expect(isDenied(text, 443, open)).toBe(true);
    },
  );

  it.each(['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '127.0.0.1', '::1', 'fd12::1'])(
    'isDenied accepts the private address %s if the policy allows private targets',
    (address) => expect(isDenied(address, 443, open)).toBe(false),
  );

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
  ])('isDenied denies %s under every policy', (address) => {
    expect(isDenied(address, 443, open)).toBe(true);
    expect(isDenied(address, 443, { allowPrivate: true, allowedRanges: ['0.0.0.0/0', '::/0'] })).toBe(true);
  });

  it('isDenied accepts private addresses only inside ranges listed in the policy', () => {
    const policy = { allowPrivate: false, allowedRanges: ['10.1.0.0/16', '192.168.7.7', 'fd12::/48'] };
    for (const address of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12::1', '8.8.8.8']) {
      expect(isDenied(address, 443, policy), address).toBe(false);
    }
    for (const address of ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd12:0:1::1', '::ffff:10.1.0.1', '127.0.0.1']) {
      expect(isDenied(address, 443, policy), address).toBe(true);
    }
  });

  it('isDenied accepts loopback only in listed ranges if the policy allows only named loopback', () => {
    const policy = { allowPrivate: true, allowedRanges: [' 127.0.0.5/32 ', '::1'], allowLoopback: 'named' as const };
    for (const address of ['127.0.0.5', '::1', '10.0.0.1', 'fd12::1']) {
      expect(isDenied(address, 443, policy), address).toBe(false);
    }
    for (const address of ['127.0.0.1', '127.0.0.4']) expect(isDenied(address, 443, policy), address).toBe(true);
    expect(isDenied('127.0.0.1', 443, { ...policy, allowLoopback: true })).toBe(false);
  });

  it.each([
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8x',
    '10/8',
    'fd00::/129',
    'fc00::%a/7',
  ])('isDenied ignores the malformed range "%s"', (range) => {
    const policy = { allowPrivate: false, allowedRanges: [range] };
    expect(isDenied('10.0.0.1', 443, policy)).toBe(true);
    expect(isDenied('fd00::1', 443, policy)).toBe(true);
  });
});

describe('connections', () => {
  it('nothing is sent over a connection until the remote address has been checked again', async () => {
    const received = Promise.withResolvers<number>();
    const server = createServer((socket) => socket.resume().on('close', () => received.resolve(socket.bytesRead)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // The address is allowed when resolved and denied afterwards, as if the connection went elsewhere.
    const allowedRanges = [['127.0.0.0/8']];
    const policy = {
      allowPrivate: false,
      allowLoopback: true,
      get allowedRanges() {
        return allowedRanges.pop() ?? [];
      },
    };
    const { post, close } = createHttpClient({ deadlineMs: 15_000, policy, resolve: async () => ['127.0.0.1'] });
    const url = `https://receiver.test:${(server.address() as AddressInfo).port}/`;
    const attempt = await post({ url, headers: {}, body: '' });
    expect(attempt).toMatchObject({ status: null, error: 'address_denied', timings: { tls: null } });
    expect(await received.promise).toBe(0);
    close();
    await once(server.close(), 'close');
  });

  it('a connection uses the next resolved address if the first one refuses', async () => {
    const server = createHttp((_, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { post, close } = createHttpClient({
      deadlineMs: 15_000,
      policy: open,
      resolve: async () => ['127.0.0.9', '127.0.0.1'],
    });
    const url = `http://receiver.test:${(server.address() as AddressInfo).port}/`;
    expect(await post({ url, headers: {}, body: '' })).toMatchObject({ status: 200, error: null });
    close();
    await once(server.close(), 'close');
  });
});
