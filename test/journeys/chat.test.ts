import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { alarmTextOf } from '#lib/local/demo/nurse-call.ts';
import { ChatPayload } from '#shared/domain/formats/chat-payload.ts';
import { TeamsPayload } from '#shared/domain/formats/teams-payload.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

// A home that sends its falls to a chat and to Teams, in German. None of its webhooks has a secret.

type Id = { id: number };
type Sent = { text: string; attachments: { fields?: { title: string; value: string }[] }[] };

let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
const receivers: Receiver[] = [];
beforeAll(async () => {
  cloud = await startTestCloud();
  home = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
});
afterAll(async () => {
  await Promise.all([cloud, ...receivers].map((server) => server.stop()));
});

const hookOf = async (format: string, botId: number) => {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const hook = { name: format, url: receiver.url, format, isCustomerHook: false, botId, authMethod: 'none' };
  const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', hook);
  return { receiver, id };
};
const valuesOf = (body: string | undefined) =>
  Object.fromEntries(
    ((JSON.parse(body ?? '') as Sent).attachments[0]?.fields ?? []).map(({ title, value }) => [title, value]),
  );

test("fall messages in chats use the bot's language and the rule's or customer's time zone", async () => {
  const { client, customerId } = home;
  const { id: botId } = await client.ok<Id>('POST', '/bots', { name: 'Nachtwache', locale: 'de-AT' });
  const chat = await hookOf('chat', botId);
  const teams = await hookOf('teams', botId);
  const recipients = [chat, teams].map(({ id }) => ({ botId, webhookId: id }));
  const schedule = { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00', timeZone: 'Europe/Vienna' };
  const texts = { name: 'Stürze', title: '{situation}: {sensor}', message: 'Bitte nachsehen, {region}' };
  await client.ok('POST', '/rules', { ...texts, situation: 'fall_confirmed', schedule, recipients });
  const { sensorId, device } = await linkSensor(client);
  const basic = `/sensors/${sensorId}/maker_a/config/basic`;
  await client.ok('PUT', basic, { ...(await client.ok<object>('GET', basic)), name: '<!channel> @all' });
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('fall_confirmed', Date.now()));

  const [[inChat], [inTeams]] = await Promise.all([chat.receiver.until(1), teams.receiver.until(1)]);
  const chatPayload = ChatPayload.parse(JSON.parse(inChat?.body ?? ''));
  expect(chatPayload.text).toBe('Sturz bestätigt: ‹!channel› @\u200ball');
  expect(valuesOf(inChat?.body)).toEqual({
    Situation: 'Sturz bestätigt',
    Sensor: '‹!channel› @\u200ball',
    Ort: 'elm, elm street 1',
    Zeit: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d Europe\/Vienna$/),
  });
  const [head] = TeamsPayload.parse(JSON.parse(inTeams?.body ?? '')).attachments[0].content.body[0].items;
  expect(head?.inlines[0]?.text).toBe('Sturz bestätigt: <!channel> @\u200ball');
  for (const received of [inChat, inTeams]) {
    expect(received?.headers).not.toHaveProperty('webhook-signature');
    expect(received?.headers).not.toHaveProperty('authorization');
    expect(alarmTextOf(received?.body ?? '')).toContain('Sturz bestätigt: ');
  }

  await client.ok('PUT', `/customers/${customerId}`, {
    name: 'elm',
    location: '',
    email: '',
    timeZone: 'America/Lima',
  });
  for (const { id } of [chat, teams]) await client.ok('POST', `/webhooks/${id}/test`);
  const testInChat = (await chat.receiver.until(2))[1];
  const testInTeams = (await teams.receiver.until(2))[1];
  expect(JSON.parse(testInChat?.body ?? '')).toMatchObject({
    text: 'Test',
    attachments: [{ text: 'Das ist ein Test. Es ist nichts geschehen.' }],
  });
  expect(valuesOf(testInChat?.body)).toEqual({ Ort: 'elm', Zeit: expect.stringMatching(/ America\/Lima$/) });
  expect(testInTeams?.body).toContain('Das ist ein Test. Es ist nichts geschehen.');
});
