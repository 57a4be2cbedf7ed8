import { createHook } from 'node:async_hooks';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/delivery/http-client.ts';
import { checkTarget, checkUrl, type ResolveName, type UrlProblem } from '#shared/delivery/url-policy.ts';

const strict = { allowPrivate: false, allowedRanges: [] };
const open = { allowPrivate: true, allowedRanges: [], allowLoopback: true };

let connections = 0;
const hook = createHook({
  init(_id, type) {
    if (type === 'TCPCONNECTWRAP') connections += 1;
  },
}).enable();
afterAll(() => hook.disable());
beforeEach(() => {
  connections = 0;
});

const hosts = (list: string) => list.trim().split(/\s+/);

/** Addresses that no webhook may call, in all the spellings that parsers understand. */
const addresses = hosts(`
  127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 2130706433. 0x7f000001 0X7F000001 0x7f.1 0x7f.0.0.1
  0x7f.0x0.0x0.0x1 017700000001 0177.0.0.1 0177.1 0177.0x0.0.01 127.0x1 00000177.1 0 0x 0.0.0.0 00.0.0.0
  １２７.０.０.１ １２７。０。０。１ 127｡0｡0｡1 ①②⑦.⓪.⓪.① ０ｘ７ｆ.１ %31%32%37.0.0.1 127%2e0%2e0%2e1 %30x7f.1 12%37.1
  %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1 127%E3%80%820.0.1 1２7.0.0.%31
  10.0.0.1 167772161 0xa000001 012.0.0.1 10.1 172.16.0.1 0xac.0x10.1 172.31.255.254 192.168.0.1 3232235521 0300.0250.1
  100.64.0.1 100.100.100.200 169.254.1.1 169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376
  169.254.170.2 169.254.169.254. 168.63.129.16 2822734096 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 0xffffffff
  [::] [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::127.0.0.1] [::7f00:1] [::169.254.169.254] [::8.8.8.8]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001] [::FFFF:169.254.169.254] [::ffff:8.8.8.8]
  [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::8.8.8.8] [64:ff9b:1::10.0.0.1]
  [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:808:808::1] [2001::7f00:1] [2001:0:808:808:0:0:80ff:fffe] [2001:10::1]
  [2001:db8::1] [3fff::1] [100::1] [fc00::1] [fd00:ec2::254] [fd20:ce::254] [fe80::1] [fe80::5efe:127.0.0.1]
  [fec0::1] [ff02::1] [5f00::1] [4000::1]
`);

const names = hosts(`
  localhost LOCALHOST localhost. localhost%2e %6cocalhost ｌｏｃａｌｈｏｓｔ ⓛocalhost local\u00adhost localhost。
  foo.localhost foo.localhost. a.b.localhost metadata metadata. metadata.google.internal metadata.google.internal.
  METADATA.Google.INTERNAL instance-data.ec2.internal internal printer.local printer.local. local intranet db router
  a..example.com .example.com example.com.. 127.0.0.1.. a!.example.com ${'a'.repeat(64)}.com ${'a.'.repeat(127)}com
`);

const shapes: [UrlProblem, string[]][] = [
  [
    'url_scheme',
    ['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'ws://a.com'],
  ],
  ['url_scheme', ['gopher://example.com/', 'data:text/plain,x', 'HTTP://example.com', 'blob:https://example.com/x']],
  ['url_port', ['0', '1', '22', '25', '80', '444', '1023', '000080'].map(urlWithPort)],
  ['url_invalid', ['65536', '-1', '8443x', '99999999999'].map(urlWithPort)],
  [
    'url_invalid',
    ['', 'example.com', '//example.com', 'https:', 'https://', 'https:///', 'https://?x', 'https://:443'],
  ],
  ['url_invalid', ['https:example.com/?next=https://example.org', 'https:/example.com/https://example.org']],
  ['url_invalid', ['https:example.com', 'https:/example.com', 'https:///example.com', 'https:////example.com']],
  ['url_invalid', ['256.0.0.1', '1.2.3.4.5', '0x100000000', '4294967296', '08.0.0.1', 'a.0x7f', 'a.1'].map(urlOf)],
  ['url_invalid', ['[::1', '::1', '[::1%25lo]', '[fe80::1%eth0]', '[1::2::3]', '[127.0.0.1]', '[v1.a]'].map(urlOf)],
  [
    'url_invalid',
    ['%00.example.com', 'a%20b.example.com', 'a%2fb.com', 'a%40b.com', 'a%5cb.com', 'a<b.com'].map(urlOf),
  ],
  [
    'url_credentials',
    ['u@example.com', 'u:p@example.com', '@example.com', ':@example.com', ':p@example.com'].map(urlOf),
  ],
  [
    'url_credentials',
    ['example.com@127.0.0.1', 'example.com:443@127.0.0.1', 'a%40b@example.com', 'a@b@c.com'].map(urlOf),
  ],
  ['url_fragment', ['https://example.com/#', 'https://example.com/#a', 'https://example.com#@127.0.0.1/']],
  ['url_characters', ['https:\\\\example.com', 'https://example.com\\@127.0.0.1/', 'https://example.com/a\\b']],
  [
    'url_characters',
    ['https://example.com/a b', ' https://example.com', 'https://example.com ', 'https://exa\nmple.com'],
  ],
  [
    'url_characters',
    ['https://127.0\t.0.1/', 'https://example.com/\u0000', 'https://example.com/\u007f', '\rhttps://a.com'],
  ],
  ['url_characters', ['https://a.com/\u0085', 'https://a.com/\u00a0', 'https://a\u3000b.com', 'https://a.com/\ud800']],
  ['url_too_long', [`https://example.com/${'a'.repeat(2_029)}`, `https://example.com/${'😀'.repeat(2_029)}`]],
  ['url_address', addresses.map(urlOf)],
  ['url_host', names.map(urlOf)],
];
const hostile = shapes.flatMap(([reason, urls]) => urls.map((url) => [url, reason] as const));

function urlOf(host: string): string {
  return `https://${host}/hook`;
}

function urlWithPort(port: string): string {
  return `https://example.com:${port}/hook`;
}

const noLookup: ResolveName = () => Promise.reject(new Error('this name must not be looked up'));
const resolvesTo =
  (...resolved: string[]): ResolveName =>
  async () =>
    resolved;

describe('hostile targets', () => {
  it('the hostile targets cover more than 200 spellings', () =>
    expect(new Set(hostile.map(([url]) => url)).size).toBeGreaterThan(200));

  it.each(hostile)('target %j is rejected at creation and never connected to: %s', async (url, reason) => {
    expect(await checkTarget(url, strict, noLookup)).toEqual({ ok: false, reason });
    const client = createHttpClient({ deadlineMs: 15_000, policy: strict, resolve: noLookup });
    const attempt = await client.post({ url, headers: {}, body: '' });
    client.close();
    expect(attempt).toMatchObject({ status: null, error: reason === 'url_address' ? 'address_denied' : 'url_denied' });
    expect(connections).toBe(0);
  });
});

describe('public targets', () => {
  it.each([
    'https://example.com',
    'https://example.com/hook?a=b&c=%20%23',
    'HTTPS://EXAMPLE.COM/Hook',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://example.com./',
    'https://my_host.example-1.co.uk/a@b',
    'https://bücher.example/über?q=ü',
    'https://localhost.example.com/',
    'https://internal.example.com/',
    'https://notlocalhost.com/',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700:4700::1111]:8443/',
    `https://example.com/${'a'.repeat(2_028)}`,
    `https://example.com/${'😀'.repeat(2_028)}`,
  ])('the public target %s is accepted', async (text) => {
    const url = new URL(text);
    expect(checkUrl(text, strict)).toEqual({ ok: true, url });
    expect(await checkTarget(text, strict, resolvesTo('8.8.8.8', '2606:4700::1'))).toEqual({ ok: true, url });
  });
});

describe('host name resolution', () => {
  const url = 'https://receiver.example.com/hook';
  const denied = { ok: false, reason: 'url_address' };

  it.each([
    ['loopback', ['127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a mapped address', ['::ffff:8.8.8.8']],
    ['NAT64', ['64:ff9b::a9fe:a9fe']],
    ['a public and a private address', ['8.8.8.8', '10.0.0.1']],
    ['a private and a public address', ['fd00::1', '2606:4700::1']],
    ['public addresses and a zone', ['8.8.8.8', '2606:4700::1', 'fe80::1%eth0']],
    ['a name instead of an address', ['localhost']],
  ])('a host name that resolves to %s is denied', async (_, resolved) => {
    const resolve = resolvesTo(...resolved);
    expect(await checkTarget(url, strict, resolve)).toEqual(denied);
    const client = createHttpClient({ deadlineMs: 15_000, policy: strict, resolve });
    expect(await client.post({ url, headers: {}, body: '' })).toMatchObject({ status: null, error: 'address_denied' });
    client.close();
    expect(connections).toBe(0);
  });

  it.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['::1', '8.8.8.8']]])(
    'a host name that was public at creation but later resolves to %j is denied (rebinding)',
    async (later) => {
      const answers = [['8.8.8.8'], later];
      const asked: string[] = [];
      const resolve: ResolveName = async (name) => {
        asked.push(name);
        return answers.shift() ?? ['8.8.8.8'];
      };
      expect(await checkTarget(url, strict, resolve)).toMatchObject({ ok: true });
      const client = createHttpClient({ deadlineMs: 15_000, policy: strict, resolve });
      expect(await client.post({ url, headers: {}, body: '' })).toMatchObject({
        status: null,
        error: 'address_denied',
      });
      client.close();
      // The connection uses the checked addresses without another lookup.
      expect(asked).toEqual(['receiver.example.com', 'receiver.example.com']);
      expect(connections).toBe(0);
    },
  );

  it('a host name can be saved even if it does not resolve', async () => {
    expect(await checkTarget(url, strict, noLookup)).toMatchObject({ ok: true });
    expect(await checkTarget(url, strict, resolvesTo())).toMatchObject({ ok: true });
  });

  it('a host name can be saved even if the lookup times out', async () => {
    const never: ResolveName = () => new Promise(() => {});
    expect(await checkTarget(url, strict, never, 10)).toMatchObject({ ok: true });
  });

  it('an address does not need a lookup', async () => {
    const asked: string[] = [];
    const resolve: ResolveName = async (name) => {
      asked.push(name);
      return [];
    };
    for (const text of ['https://8.8.8.8/', 'https://[2606:4700::1]/']) {
      expect(await checkTarget(text, strict, resolve)).toMatchObject({ ok: true });
    }
    expect(asked).toEqual([]);
  });
});

describe('target policies', () => {
  it.each([
    'http://localhost:80/',
    'http://127.0.0.1:3000/hook',
    'http://[::1]:1/',
    'https://printer.local:22/',
    'http://receiver/',
    'http://10.0.0.1/',
    'https://192.168.1.1:9/',
  ])('a policy allowing private targets accepts %s', (url) => expect(checkUrl(url, open)).toMatchObject({ ok: true }));

  it.each([
    ['http://169.254.169.254/latest', 'url_address'],
    ['http://[::ffff:127.0.0.1]/', 'url_address'],
    ['http://u:p@localhost/', 'url_credentials'],
    ['http://localhost/#', 'url_fragment'],
    ['ftp://localhost/', 'url_scheme'],
    ['http:localhost', 'url_invalid'],
    ['http://a..b/', 'url_host'],
  ])('a policy allowing private targets rejects %s', (url, reason) =>
    expect(checkUrl(url, open)).toEqual({ ok: false, reason }),
  );

  it('a policy that allows ranges accepts https URLs inside them, but not other private URLs', async () => {
    const policy = { allowPrivate: false, allowedRanges: ['10.1.0.0/16'] };
    expect(checkUrl('https://10.1.2.3/', policy)).toMatchObject({ ok: true });
    expect(await checkTarget('https://calls.example.com', policy, resolvesTo('10.1.2.3'))).toMatchObject({ ok: true });
    expect(checkUrl('http://10.1.2.3/', policy)).toEqual({ ok: false, reason: 'url_scheme' });
    expect(checkUrl('https://10.2.0.1/', policy)).toEqual({ ok: false, reason: 'url_address' });
    expect(checkUrl('https://[::ffff:10.1.2.3]/', policy)).toEqual({ ok: false, reason: 'url_address' });
  });
});
