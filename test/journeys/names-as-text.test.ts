import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { ChatPayload } from '#shared/domain/formats/chat-payload.ts';
import { TeamsPayload } from '#shared/domain/formats/teams-payload.ts';
import { sizeOfSms } from '#shared/domain/people/sms-text.ts';
import { createPeopleWorld, optedOut } from '../fixtures/people.ts';

const WIKI = 'https://wiki.example/falls';
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

/** Creates a home whose sensor and customer names are links. */
const createHome = async () => {
  const home = await world.furnish();
  const basic = `/sensors/${home.sensorId}/maker_a/config/basic`;
  await home.client.ok('PUT', basic, { ...(await home.client.ok<object>('GET', basic)), name: 'http://evil.example' });
  await home.client.ok('PUT', `/customers/${home.customerId}`, {
    name: 'a@evil.example',
    location: 'www.evil.example',
    email: '',
  });
  return home;
};
const texts = { title: '{situation}: {sensor}', message: `{location}{sensor}, see ${WIKI}` };

test('names in a notification are not links, but rule messages may contain links', async () => {
  const { hire, rule, fall } = await createHome();
  const anna = await hire('Anna', { email: 'anna@example.com', sms: '+491701234567', telegram: '4711' });
  await rule(
    ['email', 'sms', 'telegram'].map((by) => ({ userId: anna.id, by })),
    texts,
  );
  await fall();
  expect(world.sentMessages.map(({ by }) => by).toSorted()).toEqual(['email', 'sms', 'telegram']);
  for (const { by, text } of world.sentMessages) {
    const isSms = by === 'sms';
    const [title, name] = isSms
      ? ['Fall detected: http: //evil. example', 'www. evil. examplehttp: //evil. example']
      : [
          'Fall detected: http:\u200b//evil.\u200bexample',
          'www.\u200bevil.\u200bexample\u200bhttp:\u200b//evil.\u200bexample',
        ];
    expect(text.startsWith(title)).toBe(true);
    expect(text).toContain(`${name}, see ${WIKI}\n`);
    expect(text).not.toMatch(/evil\.example|http:\/\/evil/);
    if (isSms) expect(sizeOfSms(text).encoding).toBe('gsm');
    else expect(text).toContain('Place: a@\u200bevil.\u200bexample, www.\u200bevil.\u200bexample');
  }
});

test('names in a chat are not links, but rule messages may contain links', async () => {
  const { client, fall } = await createHome();
  const { id: botId } = await client.ok<{ id: number }>('POST', '/bots', { name: 'Night' });
  const receivers = await Promise.all(
    ['chat', 'teams', 'full'].map(async (format) => {
      const receiver = await startReceiver();
      const hook = { name: format, url: receiver.url, format, isCustomerHook: false, botId, authMethod: 'none' };
      const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
      return { receiver, recipient: { botId, webhookId } };
    }),
  );
  const recipients = receivers.map(({ recipient }) => recipient);
  await client.ok('POST', '/rules', { name: 'falls', situation: 'fall_detected', ...texts, recipients });
  await fall();
  const [chat, teams, full] = await Promise.all(
    receivers.map(async ({ receiver }) => (await receiver.until(1))[0]?.body ?? ''),
  );

  const message = ChatPayload.parse(JSON.parse(chat ?? ''));
  expect(message.text).toBe('Fall detected: http:\u200b//evil.\u200bexample');
  expect(message.attachments[0]).toMatchObject({ text: expect.stringMatching(`, see ${WIKI}$`) });
  expect(chat).not.toMatch(/evil\.example|http:\/\/evil/);

  const { items } = TeamsPayload.parse(JSON.parse(teams ?? '')).attachments[0].content.body[0];
  expect(items[1]?.inlines.at(-1)).toEqual({
    type: 'TextRun',
    text: WIKI,
    selectAction: { type: 'Action.OpenUrl', url: WIKI },
  });
  expect(teams).not.toMatch(/evil\.example|http:\/\/evil/);

  // Programs receive names unchanged.
  expect(JSON.parse(full ?? '')).toMatchObject({
    sensor: { name: 'http://evil.example' },
    rule: { title: 'Fall detected: http://evil.example' },
  });
  await Promise.all(receivers.map(({ receiver }) => receiver.stop()));
});

test('names in the email about a failed alarm are not links', async () => {
  const { hire, rule, fall } = await createHome();
  const ben = await hire('evil.example', { sms: '+491701234567' });
  await hire('Boss', {}, { email: 'boss@example.com', permissions: ['manage_rules'] });
  await rule([{ userId: ben.id, by: 'sms' }]);
  world.answerWith(({ by }) => {
    if (by === 'sms') throw optedOut();
  });
  await fall();
  world.answerWith(() => {});
  expect(world.sentMessages).toHaveLength(1);
  expect(world.sentMessages[0]?.text).toContain('to evil.\u200bexample by SMS');
  expect(world.sentMessages[0]?.text).not.toMatch(/evil\.example/);
});
