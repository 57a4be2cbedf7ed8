import { beforeEach, describe, expect, test } from 'vitest';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';
import { isAccepted, isFinal, type Notification, type PersonOutcome } from '#shared/delivery/targets/person.ts';
import { type PersonServices, personSenderFor } from '#shared/delivery/targets/person-sender.ts';
import { type Channel, channelKinds } from '#shared/domain/people/channel.ts';

/** The messages the services were asked to send. */
let sent: unknown[];
beforeEach(() => {
  sent = [];
});
const record =
  (service: string) =>
  async (...message: unknown[]) =>
    void sent.push([service, ...message]);
const settings = {
  CHANNEL_KINDS: channelKinds,
  MAIL_SENDER: 'cloud@example.org',
  PUBLIC_URL: 'https://cloud.example.org',
  PUSH_CONTACT: '',
};
const services: PersonServices = {
  settings,
  mail: record('mail'),
  webhookClient: () => Promise.reject(new Error('nothing is posted')),
  openPushKey: async () => 'a private key',
  now: () => 0,
};
const notification: Notification = {
  title: 'Fall in room 7',
  text: 'at home',
  url: 'https://c.example/a',
  language: 'en',
};

/** A notification without a link. */
const quiet: Notification = { ...notification, url: null };
const email: Channel = { by: 'email', address: 'anna@example.com' };
const sms: Channel = { by: 'sms', address: '+491701234567' };
const telegram: Channel = { by: 'telegram', address: '-7' };
const push: Channel = {
  by: 'push',
  subscription: { endpoint: 'https://push.example.com/a/secret', keys: { p256dh: 'p', auth: 'a' } },
  key: { publicKey: 'k', sealed: 's' },
};
const send = (channel: Channel, notice: Notification = notification, more: Partial<PersonServices> = {}) =>
  personSenderFor({ ...services, ...more })(channel, notice);
const accept = (service: string) => async (to: string, text: string) => {
  sent.push([service, to, text]);
  return 'accepted' as const;
};

describe('composed emails', () => {
  const textOf = async (notice: Notification) => {
    await send(email, notice);
    return (sent.at(-1) as unknown[])[3];
  };

  test('an email has a one-line subject, text and a reference', async () => {
    const reference = { customerId: 7, deliveryId: 'd', attempt: 1 };
    const spaced = { ...quiet, title: ' Fall \r\n in\troom 7 ' };
    expect(await personSenderFor(services)(email, spaced, reference)).toBe('accepted');
    expect(sent).toEqual([['mail', 'anna@example.com', 'Fall in room 7', 'at home', reference]]);
  });

  test('an email ends with an acknowledgement link, or else a link to the sensor list', async () => {
    const listUrl = 'https://c.example/sensors';
    expect(await textOf(notification)).toBe("at home\n\nI'm on it:\nhttps://c.example/a");
    expect(await textOf({ ...notification, listUrl, language: 'de' })).toBe(
      'at home\n\nIch gehe hin:\nhttps://c.example/a',
    );
    expect(await textOf({ ...quiet, listUrl })).toBe('at home\n\nAll sensors:\nhttps://c.example/sensors');
    expect(await textOf({ ...quiet, listUrl, language: 'de' })).toBe(
      'at home\n\nAlle Sensoren:\nhttps://c.example/sensors',
    );
    expect(await textOf(quiet)).toBe('at home');
  });
});

describe('service failures', () => {
  const outcomeOf = (error: unknown) => send(email, notification, { mail: () => Promise.reject(error) });

  test.each([
    { name: 'BadRequestException' },
    { name: 'ValidationException', Reason: 'CANNOT_PARSE' },
    { name: 'ValidationException', Reason: 'INVALID_PARAMETER' },
    { name: 'ValidationException', Reason: 'FIELD_VALIDATION_FAILED' },
    { name: 'ConflictException', Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' },
  ])('an address counts as gone only after %j', async (error) => {
    expect(await outcomeOf(error)).toBe('gone');
  });

  test.each([
    [{ name: 'ValidationException' }, 'ValidationException'],
    [{ name: 'ValidationException', Reason: 'UNKNOWN_OPERATION' }, 'UNKNOWN_OPERATION'],
    [{ name: 'ValidationException', Reason: '' }, ''],
    [{ name: 'ConflictException', Reason: 'INVALID_PARAMETER' }, 'INVALID_PARAMETER'],
    [{ name: 'ThrottlingException', Reason: 'CANNOT_PARSE' }, 'CANNOT_PARSE'],
    [
      { name: 'ThrottlingException', Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' },
      'DESTINATION_PHONE_NUMBER_OPTED_OUT',
    ],
    [{ name: 'ConflictException' }, 'ConflictException'],
    [{ name: 'TimeoutError' }, 'TimeoutError'],
    [{}, 'Error'],
    [null, 'Error'],
    [undefined, 'Error'],
  ])('other service failures lead to a retry with a reason: %j', async (error, retry) => {
    expect(await outcomeOf(error)).toEqual({ retry });
  });

  test('an email fails for good if the recipient is refused, but not if the login is', async () => {
    expect(await outcomeOf(new MailFailure('recipient_refused', '550', true))).toEqual({
      refused: 'recipient_refused',
      answer: '550',
    });
    expect(await outcomeOf(new MailFailure('login_refused', '535', false))).toEqual({
      retry: 'login_refused',
      answer: '535',
      isOfHost: true,
    });
  });
});

describe('composed SMS', () => {
  const text = "Fall in room 7\nat home\n\nI'm on it:\nhttps://c.example/a";

  test("an SMS uses the host's gateway if there is one, otherwise the service", async () => {
    const service = { sms: record('sms') };
    expect(await send(sms, notification, service)).toBe('accepted');
    expect(await send(sms, notification, { ...service, smsGateway: accept('gateway') })).toBe('accepted');
    expect(sent).toEqual([
      ['sms', '+491701234567', text, undefined],
      ['gateway', '+491701234567', text],
    ]);
  });

  test('an SMS can be sent without a link', async () => {
    await send(sms, quiet, { smsGateway: accept('gateway') });
    expect(sent).toEqual([['gateway', '+491701234567', 'Fall in room 7\nat home']]);
  });
});

describe('chat messages', () => {
  const textOf = async (notice: Notification) => {
    expect(await send(telegram, notice, { telegram: accept('telegram') })).toBe('accepted');
    return String((sent.at(-1) as unknown[])[2]);
  };
  const rest = 'Fall in room 7\n'.length;

  test('a chat message has a title and text on separate lines, and a link', async () => {
    expect(await textOf(notification)).toBe("Fall in room 7\nat home\n\nI'm on it:\nhttps://c.example/a");
    expect(await textOf({ ...quiet, title: '' })).toBe('at home');
    expect(await textOf({ ...quiet, text: '' })).toBe('Fall in room 7');
  });

  test('a chat message has at most 4,096 characters', async () => {
    const fitting = 'x'.repeat(4_096 - rest);
    expect(await textOf({ ...quiet, text: fitting })).toBe(`Fall in room 7\n${fitting}`);
    expect(await textOf({ ...quiet, text: `${fitting}x` })).toBe(`Fall in room 7\n${fitting.slice(1)}…`);
  });

  test('a chat message is shortened without cutting the link', async () => {
    const text = await textOf({ ...notification, text: 'x'.repeat(5_000) });
    expect(text).toHaveLength(4_096);
    expect(text).toMatch(/x…\n\nI'm on it:\nhttps:\/\/c\.example\/a$/);
  });

  test('a chat message is never cut in the middle of a character', async () => {
    const text = await textOf({ ...quiet, text: `${'x'.repeat(4_094 - rest)}😀x` });
    expect(text).toBe(`Fall in room 7\n${'x'.repeat(4_094 - rest)}…`);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('push messages', () => {
  const shown = async (notice: Notification) => {
    expect(await send(push, notice, { pushFile: record('file') })).toBe('accepted');
    const [service, host, body] = sent.at(-1) as string[];
    return { service, host, size: Buffer.byteLength(body ?? ''), notice: JSON.parse(body ?? '') as Notification };
  };

  test('a push file shows only the host name of the push service', async () => {
    expect(await shown(notification)).toMatchObject({
      service: 'file',
      host: 'push.example.com',
      notice: notification,
    });
  });

  test('a push message title has at most 200 characters', async () => {
    expect((await shown({ ...quiet, title: 'x'.repeat(200) })).notice.title).toBe('x'.repeat(200));
    expect((await shown({ ...quiet, title: 'x'.repeat(201) })).notice.title).toBe(`${'x'.repeat(199)}…`);
  });

  test('a push message has at most 3,000 bytes', async () => {
    const empty = (await shown({ ...quiet, text: '' })).size;
    const fitting = { ...quiet, text: 'x'.repeat(3_000 - empty) };
    expect(await shown(fitting)).toMatchObject({ size: 3_000, notice: fitting });
    const { notice } = await shown({ ...quiet, text: `${fitting.text}x` });
    expect(notice.text).toBe(`${'x'.repeat(Math.ceil((3_001 - empty) / 2) - 1)}…`);
  });

  test('a push message keeps the link even if there is no room for text', async () => {
    const url = `https://c.example/${'a'.repeat(4_000)}`;
    expect((await shown({ ...notification, url, text: 'a long text' })).notice).toMatchObject({ url, text: '…' });
  });

  test('a push message is unavailable without a push contact', async () => {
    const nobody = { ...settings, MAIL_SENDER: 'outbox', PUBLIC_URL: 'http://127.0.0.1:3000' };
    expect(await send(push, notification, { settings: nobody })).toEqual({ retry: 'unavailable' });
  });
});

describe('channels', () => {
  test.each([sms, telegram])('a channel is unavailable if the host has no service for it: %j', async (channel) => {
    expect(await send(channel)).toEqual({ retry: 'unavailable' });
  });

  test('an unavailable channel is never replaced by another', async () => {
    const gateway = { smsGateway: accept('gateway') };
    expect(await send(telegram, notification, gateway)).toEqual({ retry: 'unavailable' });
    expect(await send(sms, notification, { telegram: accept('telegram') })).toEqual({ retry: 'unavailable' });
    expect(sent).toEqual([]);
  });

  test('a channel that the stage does not allow is unavailable, even if it has a service', async () => {
    const more = { settings: { ...settings, CHANNEL_KINDS: ['push'] as const } };
    expect(await send(email, notification, more)).toEqual({ retry: 'unavailable' });
    expect(sent).toEqual([]);
  });

  test('a chat channel pauses all messages in this process for as long as the service requests', async () => {
    const chatPauses = new Map();
    const busy = async (): Promise<PersonOutcome> => ({ retry: 'status_429', afterSeconds: 5 });
    await send(telegram, notification, { telegram: busy, chatPauses });
    expect(await send(telegram, notification, { telegram: accept('telegram'), chatPauses })).toEqual({
      retry: 'status_429',
      afterSeconds: 5,
    });
    expect(sent).toEqual([]);
  });
});

test.each<[PersonOutcome, boolean, boolean]>([
  ['accepted', true, false],
  [{ movedTo: '8' }, true, false],
  ['gone', false, true],
  [{ refused: 'blocked', answer: '' }, false, true],
  [{ retry: 'timeout' }, false, false],
])('outcome %j is classified as a success, a final failure or neither', (outcome, success, final) => {
  expect([isAccepted(outcome), isFinal(outcome)]).toEqual([success, final]);
});
