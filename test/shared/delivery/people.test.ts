import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { simpleParser } from 'mailparser';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sesMail } from '#shared/aws/mail.ts';
import { awsSms } from '#shared/aws/sms.ts';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';
import type { Notification } from '#shared/delivery/targets/person.ts';
import { type PersonServices, personSenderFor } from '#shared/delivery/targets/person-sender.ts';
import { createTelegram } from '#shared/delivery/targets/telegram.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { type Channel, channelKinds } from '#shared/domain/people/channel.ts';
import { sizeOfSms } from '#shared/domain/people/sms-text.ts';

type ReceivedRequest = { method: string; url: string; headers: Record<string, string>; body: Buffer };
const requests: ReceivedRequest[] = [];
let serverResponse: { status: number; body?: string } | 'never' = { status: 200 };
let server: Server;
let base = '';
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = request.headers as Record<string, string>;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers, body });
    if (serverResponse !== 'never') response.writeHead(serverResponse.status).end(serverResponse.body ?? '{"ok":true}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const ses = mockClient(SESv2Client);
const aws = mockClient(PinpointSMSVoiceV2Client);
afterEach(() => {
  ses.reset();
  aws.reset();
  requests.length = 0;
  serverResponse = { status: 200 };
});
// Test files share modules, and the next one needs the real clients.
afterAll(async () => {
  ses.restore();
  aws.restore();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const stage = {
  ALLOW_PRIVATE_TARGETS: true,
  ALLOWED_TARGET_RANGES: [],
  DELIVERY_DEADLINE_SECONDS: 1,
  PUBLIC_URL: 'https://cloud.example.org',
  OWN_URLS: [],
  CANARY: false,
  MAIL_SENDER: 'cloud@example.org',
  PUSH_CONTACT: '',
  CHANNEL_KINDS: channelKinds,
};
const webhookClient = createWebhookClient(stage, { allowLoopback: true });
const config = { region: 'eu-central-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 };
const TOKEN = '123456:a-token-of-a-bot';
const surroundings = { now: Date.now, random: (bytes: number) => new Uint8Array(bytes) };
const services: PersonServices = {
  settings: stage,
  mail: sesMail(config, 'cloud@example.org', surroundings),
  sms: awsSms(config, 'arn:of-a-number'),
  webhookClient: async () => webhookClient,
  openPushKey: async (encrypted) => encrypted.replace('encrypted:', ''),
  now: () => time,
};
/** The current time (ms) for the services. */
let time = 0;
const sending = () =>
  personSenderFor({ ...services, telegram: createTelegram(async () => webhookClient, TOKEN, base) });
const notification: Notification = {
  title: 'Fall in room 7',
  text: 'at home, 12:00 UTC',
  url: 'https://cloud.example.org/acknowledge/a',
  language: 'en',
};
const noAttempt = {
  error: null,
  retryAfter: null,
  acknowledgedBy: null,
  durationMs: 0,
  timings: { dns: null, connect: null, tls: null, firstByte: null },
};
const plain = "Fall in room 7\nat home, 12:00 UTC\n\nI'm on it:\nhttps://cloud.example.org/acknowledge/a";
const email: Channel = { by: 'email', address: 'anna@example.com' };
const sms: Channel = { by: 'sms', address: '+491701234567' };
const telegram: Channel = { by: 'telegram', address: '-100123' };
const awsError = (name: string, Reason?: string) =>
  Object.assign(new Error('+491701234567 is wrong'), { name, Reason });

const reference = { customerId: 7, deliveryId: '0123456789abcdefghjkmnpqrs', attempt: 2 };
const tags = { customerId: '7', deliveryId: '0123456789abcdefghjkmnpqrs', attempt: '2' };

describe('emails', () => {
  test('an email includes the delivery in its tags, so SES can report the outcome', async () => {
    ses.on(SendEmailCommand).resolves({});
    const send = personSenderFor({
      ...services,
      mail: sesMail(config, 'cloud@example.org', { ...surroundings, configurationSet: 'a-set' }),
    });
    await send(email, notification, reference);
    await send(email, notification);
    const [named, code] = ses.commandCalls(SendEmailCommand).map(({ args }) => args[0]?.input);
    expect(named).toMatchObject({
      ConfigurationSetName: 'a-set',
      EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
    });
    expect([code?.ConfigurationSetName, code?.EmailTags]).toEqual([undefined, undefined]);
  });

  test('an email has its title as a one-line subject, and contains the acknowledgement link', async () => {
    ses.on(SendEmailCommand).resolves({});
    expect(await sending()(email, { ...notification, title: 'Fall\r\nBcc: b@example.com' })).toBe('accepted');
    const [{ args } = { args: [] }] = ses.commandCalls(SendEmailCommand);
    const { subject, text, bcc } = await simpleParser(Buffer.from(args[0]?.input.Content?.Raw?.Data ?? ''));
    expect([subject, text?.trimEnd(), bcc]).toEqual([
      'Fall Bcc: b@example.com',
      plain.replace('Fall in room 7\n', ''),
      undefined,
    ]);
  });
  test.each([
    ['BadRequestException', 'gone'],
    ['TooManyRequestsException', { retry: 'TooManyRequestsException' }],
    ['MessageRejected', { retry: 'MessageRejected' }],
    ['TimeoutError', { retry: 'TimeoutError' }],
  ] as const)('an email that fails with %s ends as %j', async (name, outcome) => {
    ses.on(SendEmailCommand).rejects(awsError(name));
    expect(await sending()(email, notification)).toEqual(outcome);
  });
  test.each([
    [new MailFailure('recipient_refused', '550 no', true), { refused: 'recipient_refused', answer: '550 no' }],
    [new MailFailure('login_refused', '535 no', false), { retry: 'login_refused', answer: '535 no', isOfHost: true }],
  ])('an email refused by a mail server (%s) ends as %j', async (failure, outcome) => {
    const mail = () => Promise.reject(failure);
    expect(await personSenderFor({ ...services, mail })(email, notification)).toEqual(outcome);
  });
});

describe('SMS', () => {
  test("an SMS contains title, text and link, and is sent from the stage's number", async () => {
    aws.on(SendTextMessageCommand).resolves({});
    expect(await sending()(sms, { ...notification, language: 'de' })).toBe('accepted');
    const [{ args } = { args: [] }] = aws.commandCalls(SendTextMessageCommand);
    expect(args[0]?.input).toEqual({
      DestinationPhoneNumber: '+491701234567',
      OriginationIdentity: 'arn:of-a-number',
      MessageType: 'TRANSACTIONAL',
      TimeToLive: 600,
      MessageBody: plain.replace("I'm on it", 'Ich gehe hin'),
    });
  });
  test('an SMS includes the delivery in its context, so the service can report the outcome', async () => {
    aws.on(SendTextMessageCommand).resolves({});
    const send = personSenderFor({ ...services, sms: awsSms(config, 'arn:of-a-number', 'a-set') });
    await send(sms, notification, reference);
    await send(sms, notification);
    const [named, code] = aws.commandCalls(SendTextMessageCommand).map(({ args }) => args[0]?.input);
    expect(named).toMatchObject({ ConfigurationSetName: 'a-set', Context: tags });
    expect([code?.ConfigurationSetName, code?.Context]).toEqual([undefined, undefined]);
  });
  test('an SMS fits the situation, sensor and link into three parts', async () => {
    aws.on(SendTextMessageCommand).resolves({});
    const subject = { situation: 'Fall detected', sensor: 'Room 7' };
    await sending()(sms, { ...notification, text: '😀'.repeat(2_048), subject });
    const body = aws.commandCalls(SendTextMessageCommand)[0]?.args[0].input.MessageBody ?? '';
    expect(body).toMatch(/^Fall detected: Room 7\nFall in room 7\n(😀)+\.\.\.\n\nI'm on it:\nhttps:\S+$/u);
    expect(sizeOfSms(body)).toMatchObject({ encoding: 'ucs2', parts: 3 });
  });
  test.each([
    ['ValidationException', 'INVALID_PARAMETER', 'gone'],
    ['ConflictException', 'DESTINATION_PHONE_NUMBER_OPTED_OUT', 'gone'],
    ['ConflictException', 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED', { retry: 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED' }],
    [
      'ServiceQuotaExceededException',
      'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
      expect.objectContaining({ retry: expect.any(String) }),
    ],
    ['ThrottlingException', undefined, { retry: 'ThrottlingException' }],
    ['TimeoutError', undefined, { retry: 'TimeoutError' }],
  ] as const)('an SMS that fails with %s %s ends as %j', async (name, reason, outcome) => {
    aws.on(SendTextMessageCommand).rejects(awsError(name, reason));
    expect(await sending()(sms, notification)).toEqual(outcome);
  });
});

describe('Telegram messages', () => {
  test("a Telegram message comes from the stage's bot, as plain text without a preview", async () => {
    expect(await sending()(telegram, notification)).toBe('accepted');
    expect(requests.map(({ method, url }) => [method, url])).toEqual([['POST', `/bot${TOKEN}/sendMessage`]]);
    const preview = { link_preview_options: { is_disabled: true } };
    expect(JSON.parse(String(requests[0]?.body))).toEqual({ chat_id: '-100123', text: plain, ...preview });
  });
  test.each([
    [403, 'Forbidden: bot was blocked by the user'],
    [403, 'Forbidden: user is deactivated'],
    [400, 'Bad Request: chat not found'],
    [400, 'Bad Request: group chat was deactivated'],
    [400, 'Bad Request: CHAT_WRITE_FORBIDDEN'],
    [400, 'Bad Request: need administrator rights in the channel chat'],
    [400, 'Bad Request: not enough rights to send text messages to the chat'],
    [400, 'Bad Request: TOPIC_CLOSED'],
    [400, 'Bad Request: message thread not found'],
    [400, 'Bad Request: PEER_ID_INVALID'],
  ])('a Telegram message is refused after response %d %s, and the reason is kept', async (status, description) => {
    serverResponse = { status, body: JSON.stringify({ ok: false, error_code: status, description }) };
    expect(await sending()(telegram, notification)).toEqual({ refused: `status_${status}`, answer: description });
  });
  test.each([
    [200, { ok: false, description: 'captive portal' }, 'unexpected_response'],
    [200, '<html>login</html>', 'unexpected_response'],
    [302, 'moved', 'status_302'],
    [400, { ok: false, description: 'Bad Request: message text is empty' }, 'status_400'],
    [401, { ok: false, description: 'Unauthorized' }, 'status_401'],
    [403, '<html>the proxy forbids it</html>', 'status_403'],
    [404, { ok: false, description: 'Not Found' }, 'status_404'],
    [429, { ok: false, description: 'Too Many Requests' }, 'status_429'],
    [502, '<html>', 'status_502'],
  ])('a Telegram message is retried after response %d %j', async (status, body, retry) => {
    serverResponse = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    expect(await sending()(telegram, notification)).toEqual({ retry });
  });
  test('a Telegram message is accepted even if the response is too long to read', async () => {
    serverResponse = { status: 200, body: JSON.stringify({ ok: true, result: { text: 'x'.repeat(8_000) } }) };
    expect(await sending()(telegram, notification)).toBe('accepted');
  });
  test('a Telegram message reaches a group under its new chat id, and the outcome contains that id', async () => {
    const moved = { ok: false, error_code: 400, parameters: { migrate_to_chat_id: -1_001_557_912_345 } };
    const chats: unknown[] = [];
    const post = async ({ body }: { body: string | Uint8Array }) => {
      const { chat_id: chat } = JSON.parse(String(body));
      chats.push(chat);
      const [status, answer] = chat === '-100123' ? [400, moved] : [200, { ok: true }];
      return { ...noAttempt, status, responseBody: JSON.stringify(answer) };
    };
    const send = createTelegram(async () => ({ post }), TOKEN);
    expect(await send('-100123', 'x')).toEqual({ movedTo: '-1001557912345' });
    expect(chats).toEqual(['-100123', '-1001557912345']);
  });
  test('all messages to a chat wait as long as Telegram requests', async () => {
    const send = sending();
    const parameters = { retry_after: 35 };
    serverResponse = { status: 429, body: JSON.stringify({ ok: false, error_code: 429, parameters }) };
    expect(await send(telegram, notification)).toEqual({ retry: 'status_429', afterSeconds: 35 });
    serverResponse = { status: 200 };
    time += 10_000;
    expect(await send(telegram, notification)).toEqual({ retry: 'status_429', afterSeconds: 25 });
    expect(requests).toHaveLength(1);
    expect(await send({ ...telegram, address: '4711' }, notification)).toBe('accepted');
    time += 25_000;
    expect(await send(telegram, notification)).toBe('accepted');
    expect(requests).toHaveLength(3);
  });
  test('a Telegram message without a response times out and does not reveal the token', async () => {
    serverResponse = 'never';
    const outcome = await sending()(telegram, notification);
    expect(outcome).toEqual({ retry: 'timeout' });
  });
});

test('a channel the host does not support is unavailable', async () => {
  const settings = { ...stage, CHANNEL_KINDS: ['push'] as const };
  const send = personSenderFor({ ...services, settings });
  for (const channel of [email, sms, telegram])
    expect(await send(channel, notification)).toEqual({ retry: 'unavailable' });
});
