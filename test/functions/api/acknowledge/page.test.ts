import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { nameBedroom } from '#test/fixtures/bedroom.ts';
import { homeAt } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  // Noon UTC, so the page does not show dates around midnight.
  world = await createPeopleWorld({ start: new Date().setUTCHours(12, 0, 0, 0) });
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

/** The link in the newest message to an address. */
const linkTo = (address: string): string =>
  /http\S+\/acknowledge\/\S+/.exec(world.sentMessages.findLast(({ to }) => to === address)?.text ?? '')?.[0] ?? 'none';
const pageAt = async (url: string, language = 'en') => {
  const response = await fetch(url, { headers: { 'accept-language': language } });
  return { status: response.status, html: await response.text() };
};
const textOf = (html: string): string =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
/** Submits a form on the page the way a browser without JavaScript does. */
const submit = async (url: string, html: string, button: string, entered: Record<string, string> = {}) => {
  const form = html.split('<form').find((part) => part.includes(button)) ?? '';
  const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
  const target = new URL(action, url).href;
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'accept-language': 'en' },
    body: new URLSearchParams(entered),
  });
  await world.idle();
  return { status: response.status, html: await response.text(), url: target };
};

const MINUTE = 60_000;
/** A home with a fall and a rule that emails two users. */
const createFall = async (more: object = {}) => {
  const home = await world.furnish();
  const { customerId, admin, client, sensorId } = home;
  const name = `home ${customerId}`;
  await nameBedroom(
    { admin, client, customerId, sensorId },
    { home: name, room: 'Room 106, <south> wing', region: 'beside the bed' },
  );
  const [nora, jonas] = await Promise.all([
    home.hire('Nora', { email: `nora-${customerId}@example.com` }),
    home.hire('Jonas', { email: `jonas-${customerId}@example.com` }),
  ]);
  await home.rule(
    [nora, jonas].map(({ id }) => ({ userId: id, by: 'email' })),
    more,
  );
  await home.fall();
  const links = { nora: linkTo(`nora-${customerId}@example.com`), jonas: linkTo(`jonas-${customerId}@example.com`) };
  const acknowledgement = async () => (await home.hits())[0]?.acknowledgement;
  return { ...home, name, nora, jonas, links, acknowledgement };
};

describe("a user's acknowledge page", () => {
  test('the acknowledge page shows the place and time of an unacknowledged alarm', async () => {
    const { links, name } = await createFall();
    await world.pass(3 * MINUTE);
    const { status, html } = await pageAt(links.nora);
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    expect(status).toBe(200);
    expect(html).toContain('<small>Room</small><b class="number">106</b>');
    const text = textOf(html);
    for (const part of ['&lt;south&gt; wing, beside the bed', name, 'Fall. Nobody is on it.', 'Berlin time'])
      expect(text).toContain(part);
    expect(text).toMatch(/[23] minutes ago/);
    expect([2, 3, 4].map((minutes) => clock.format(world.now() - minutes * MINUTE))).toContain(
      /<b>(\d\d:\d\d)<\/b>/.exec(html)?.[1],
    );
    expect(text).toMatch(/Also notified: Jonas \(\d\d:\d\d\)\./);
    expect(html).not.toMatch(/<script|<input/);
  });

  test('the acknowledge page is in German if the browser prefers German', async () => {
    const { links } = await createFall();
    const { html } = await pageAt(links.nora, 'de-AT,de;q=0.9');
    expect(html).toContain('<html lang="de">');
    const text = textOf(html);
    for (const part of ['Sturz. Niemand geht hin.', 'Ich gehe hin', 'gerade eben', 'Ortszeit Berlin'])
      expect(text).toContain(part);
  });

  test('the acknowledge page shows who else was notified once the alarm is acknowledged', async () => {
    const { links, nora, acknowledgement } = await createFall();
    const { html } = await pageAt(links.nora);
    expect(await acknowledgement()).toBeNull();
    const taken = await submit(links.nora, html, "I'm on it");
    expect(await acknowledgement()).toMatchObject({ userId: nora.id, name: 'Nora' });
    expect(textOf(taken.html)).toMatch(/You're on it .*since \d\d:\d\d.*Also notified: Jonas .*I can't go after all/);
    expect(textOf((await pageAt(links.nora)).html)).toContain("You're on it");
    const colleague = textOf((await pageAt(links.jonas)).html);
    expect(colleague).toContain('Nora is on it');
    expect(colleague).not.toContain('after all');
  });

  test('handing an alarm back resumes the escalation', async () => {
    const ben = { email: 'ben@example.com' };
    const home = await world.furnish();
    const { id } = await home.hire('Ben', ben);
    const mia = await home.hire('Mia', { email: 'mia@example.com' });
    const step = { afterSeconds: 60, recipients: [{ userId: mia.id, by: 'email' }] };
    await home.rule([{ userId: id, by: 'email' }], { escalation: [step] });
    await home.fall();
    const url = linkTo(ben.email);
    const taken = await submit(url, (await pageAt(url)).html, "I'm on it");
    await world.pass(2 * MINUTE);
    expect(linkTo('mia@example.com')).toBe('none');
    const open = await submit(taken.url, taken.html, 'after all');
    expect(textOf(open.html)).toMatch(/Nobody is on it\..*You handed the alarm back\./);
    expect((await home.hits())[0]?.acknowledgement).toBeNull();
    await world.pass(MINUTE);
    expect(linkTo('mia@example.com')).not.toBe('none');
    // The form on that page acknowledges the alarm again.
    const again = await submit(open.url, open.html, "I'm on it");
    expect(textOf(again.html)).toContain("You're on it");
  });

  test('the acknowledge page cannot hand back an alarm that someone else acknowledged', async () => {
    const { links, jonas, acknowledgement } = await createFall();
    await submit(links.jonas, (await pageAt(links.jonas)).html, "I'm on it");
    const { date = 0 } = (await acknowledgement()) ?? {};
    const headers = { 'accept-language': 'en' };
    const answer = await fetch(`${links.nora}/withdrawal/${date}`, { method: 'POST', headers });
    expect([answer.status, textOf(await answer.text()).includes('Jonas is on it')]).toEqual([200, true]);
    expect(await acknowledgement()).toMatchObject({ userId: jonas.id });
  });

  test('opening the acknowledge page changes nothing, even if 20 link scanners do so', async () => {
    const { links, acknowledgement } = await createFall();
    await Promise.all(Array.from({ length: 20 }, () => pageAt(links.nora)));
    await world.idle();
    expect(await acknowledgement()).toBeNull();
  });
});

describe('the acknowledge link of a user without access', () => {
  const refusals = (url: string) =>
    Promise.all([
      fetch(url),
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
      fetch(`${url}/page`, { method: 'POST', body: new URLSearchParams() }),
      fetch(`${url}/withdrawal/1`, { method: 'POST' }),
    ]).then((answers) => answers.map(({ status }) => status));

  test.each([
    ['was deleted', (id: number) => ['DELETE', `/users/${id}`, undefined] as const],
    ['was locked out', (id: number) => ['PUT', `/users/${id}/access`, { canLogin: false, permissions: [] }] as const],
  ])('an acknowledge link returns 404 after the user %s', async (_, change) => {
    const { links, nora, session, acknowledgement } = await createFall();
    const [method, path, body] = change(nora.id);
    expect((await pageAt(links.nora)).status).toBe(200);
    expect((await session.call(method, path, body)).status).toBe(200);
    expect(await refusals(links.nora)).toEqual([404, 404, 404, 404]);
    expect([await acknowledgement(), (await pageAt(links.jonas)).status]).toEqual([null, 200]);
  });
});

describe("a webhook's acknowledge page", () => {
  test("a webhook's acknowledge page asks for a name and lists no recipients", async () => {
    const receiver = await startReceiver();
    const home = await world.furnish();
    const nora = await home.hire('Nora', { email: 'nora@example.com' });
    const hook = { name: 'nurse call', url: receiver.url, secretKey: 'a-secret-of-16-or-more' };
    const { recipient } = await homeAt(home.client).addRecipient('Nurse call', hook);
    await home.rule([recipient, { userId: nora.id, by: 'email' }]);
    await home.fall();
    const { acknowledgeUrl: url } = JSON.parse(receiver.received[0]?.body ?? '') as { acknowledgeUrl: string };
    const { html } = await pageAt(url);
    expect(html).toContain('<input name="name"');
    expect(textOf(html)).toContain('Also notified: 1 other recipient.');
    expect(html).not.toContain('Nora');
    const taken = await submit(url, html, "I'm on it", { name: 'Mia' });
    expect(textOf(taken.html)).toMatch(/You're on it.*after all/);
    expect((await home.hits())[0]?.acknowledgement).toMatchObject({ userId: null, name: 'Mia' });
    const other = await submit(url, html, "I'm on it", { name: 'Ben' });
    expect(textOf(other.html)).toContain('Somebody is on it');
    expect(other.html).not.toMatch(/Mia|after all/);
    const open = await submit(taken.url, taken.html, 'after all');
    expect(textOf(open.html)).toContain('Nobody is on it.');
    // A user's acknowledgement stays, with the original time.
    const personal = linkTo('nora@example.com');
    await submit(personal, (await pageAt(personal)).html, "I'm on it");
    const { date = 0 } = (await home.hits())[0]?.acknowledgement ?? {};
    await fetch(`${url}/withdrawal/${date}`, { method: 'POST' });
    expect((await home.hits())[0]?.acknowledgement).toMatchObject({ userId: nora.id });
    await receiver.stop();
  });
});
