import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const DAY = 86_400_000;
let cloud: Cloud;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;
let webhookId: string;
let ahead = 0;
const now = () => Date.now() + ahead;
beforeAll(async () => {
  const clock = { now, after: (ms: number, run: () => void) => after(ms, run) };
  [cloud, receiver] = await Promise.all([startTestCloud({ clock }), startReceiver()]);
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { webhook } = await createAlarm(home.client, receiver.url);
  webhookId = webhook.id;
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});
const after = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

const hitsPath = () => `/customers/${home.customerId}/rule-hits`;
/** Reports a fall from a new sensor. Returns the hit and the link in the delivery. */
const createHit = async () => {
  const { sensorId, device } = await linkSensor(home.client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', now()));
  await cloud.idle();
  const [page] = await home.client.ok<{ data: RuleHit[] }[]>('GET', `${hitsPath()}?sensorId=${sensorId}`);
  const hit = page?.data[0];
  const { acknowledgeUrl } = JSON.parse(receiver.received.at(-1)?.body ?? '') as { acknowledgeUrl: string };
  if (!hit) throw new Error('no hit');
  return { hit, url: acknowledgeUrl };
};
const acknowledgementOf = async ({ id }: RuleHit) =>
  (await home.client.ok<RuleHit>('GET', `${hitsPath()}/${id}`)).acknowledgement;
const post = (url: string, body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
const form = 'application/x-www-form-urlencoded';

describe('acknowledgeUrl', () => {
  test('an acknowledge link accepts a name without a login', async () => {
    const { hit, url } = await createHit();
    expect(new URL(url).pathname).toMatch(/^\/api\/v1\/acknowledge\/[\w-]+$/);
    const first = await post(url, '{"name":"Anna Meier"}');
    const acknowledgement = await first.json();
    expect([first.status, acknowledgement]).toEqual([
      200,
      { userId: null, name: 'Anna Meier', date: expect.any(Number) },
    ]);
    const second = await post(url, '{"name":"Ben"}');
    expect([second.status, await second.json()]).toEqual([200, acknowledgement]);
    expect(await acknowledgementOf(hit)).toEqual(acknowledgement);
  });

  test("an acknowledge link uses the recipient's name by default", async () => {
    const { url } = await createHit();
    expect(await (await post(url, '{}')).json()).toMatchObject({ userId: null, name: 'Nurse call' });
  });

  test('an acknowledge link opens a page that changes nothing until the button is pressed', async () => {
    const { hit, url } = await createHit();
    const page = await fetch(url, { headers: { 'accept-language': 'de' } });
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain('Sturz. Niemand geht hin.');
    expect(html).not.toMatch(/<script|http-equiv|property="og:|name="(description|twitter)/);
    expect([html.includes('content="noindex"'), page.headers.get('x-robots-tag')]).toEqual([true, 'noindex']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(await acknowledgementOf(hit)).toBeNull();
    const action = /<form method="post" action="([^"]+)">/.exec(html)?.[1] ?? '';
    const name = '<b>Zoë</b>\u0007 & Söhne';
    const answer = await post(new URL(action, url).href, new URLSearchParams({ name }).toString(), form);
    const after = await answer.text();
    expect([answer.status, after.includes('You&#39;re on it')]).toEqual([200, true]);
    expect(await acknowledgementOf(hit)).toMatchObject({ userId: null, name: '<b>Zoë</b>  & Söhne' });
    // Anyone could have a webhook's link, so it neither shows people's names nor withdraws someone else's
    // acknowledgement.
    const shown = await (await fetch(url)).text();
    expect(shown).toContain('Somebody is on it');
    expect(shown).not.toMatch(/<form|Zoë/);
  });

  test('the acknowledge button works in a logged-in browser without ending the session', async () => {
    const { hit, url } = await createHit();
    const { token = '', ...client } = await logIn(home.client.as(undefined), home.username, home.password);
    const headers = { 'content-type': form, cookie: `PSAUTHTOKEN=${token}` };
    const answer = await fetch(`${url}/page`, { method: 'POST', headers, body: 'name=Anna' });
    expect([answer.status, (await acknowledgementOf(hit))?.name]).toEqual([200, 'Anna']);
    expect((await client.call('GET', '/users/me')).status).toBe(200);
  });

  test('returns 404 for an acknowledge link that was altered or combined with parts of another', async () => {
    const first = await createHit();
    const second = await createHit();
    const [hitId, message, until, signature] = /(\d+)-(\d+)-(\d+)-(.*)$/.exec(first.url)?.slice(1) ?? [];
    const base = first.url.slice(0, first.url.lastIndexOf('/'));
    const last = signature?.startsWith('A') ? 'B' : 'A';
    const wrong = [
      `${second.hit.id}-${message}-${until}-${signature}`,
      `${hitId}-1-${until}-${signature}`,
      `${hitId}-${message}-${Number(until) + 1}-${signature}`,
      `${hitId}-${message}-${until}-${last}${signature?.slice(1)}`,
      `${hitId}-${message}-${until}-${signature?.slice(1)}`,
      `9007199254740991-${message}-${until}-${signature}`,
      'nothing',
    ];
    const answers = await Promise.all(
      wrong.flatMap((address) => [
        fetch(`${base}/${address}`),
        post(`${base}/${address}`, '{}'),
        post(`${base}/${address}/page`, 'name=A', form),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect([await acknowledgementOf(first.hit), await acknowledgementOf(second.hit)]).toEqual([null, null]);
  });

  test('an acknowledge link expires 24 hours after the delivery was created', async () => {
    const { hit, url } = await createHit();
    const again = await home.client.ok<{ data: { id: string }[] }[]>(
      'GET',
      `/webhooks/${webhookId}/deliveries?perPage=1`,
    );
    const { id } = again[0]?.data[0] ?? { id: '' };
    await home.client.ok('POST', `/webhooks/${webhookId}/deliveries/${id}/redeliver`);
    await cloud.idle();
    const [second, first] = receiver.received.toReversed();
    expect(second?.body).toBe(first?.body);
    ahead = DAY - 10_000;
    expect((await fetch(url)).status).toBe(200);
    ahead = DAY + 1_000;
    expect([(await fetch(url)).status, (await post(url, '{}')).status]).toEqual([404, 404]);
    ahead = 0;
    expect(await acknowledgementOf(hit)).toBeNull();
  });

  test('the delivery log does not contain the acknowledge link', async () => {
    await createHit();
    const [page] = await home.client.ok<{ data: { id: string }[] }[]>(
      'GET',
      `/webhooks/${webhookId}/deliveries?perPage=1`,
    );
    const message = `/webhooks/${webhookId}/deliveries/${page?.data[0]?.id}/message`;
    const { body } = await home.client.ok<{ body: string }>('GET', message);
    const received = JSON.parse(receiver.received.at(-1)?.body ?? '');
    expect(received.acknowledgeUrl).toEqual(expect.any(String));
    expect(JSON.parse(body)).toEqual({ ...received, acknowledgeUrl: null });
  });

  test('an acknowledge link returns the same acknowledgement to 50 concurrent callers', async () => {
    const { hit, url } = await createHit();
    const posts = Array.from({ length: 50 }, (_, at) => post(url, JSON.stringify({ name: `person ${at}` })));
    const answers = await Promise.all((await Promise.all(posts)).map((response) => response.json()));
    const shown = await acknowledgementOf(hit);
    expect(answers).toEqual(Array(50).fill(shown));
  });

  test('an acknowledge link has the same rate limit and validation as other public requests', async () => {
    const { url } = await createHit();
    const answer = await fetch(url);
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    expect((await post(url, '{"name":""}')).status).toBe(400);
    expect((await post(url, 'name=A', form)).status).toBe(415);
  });
});
