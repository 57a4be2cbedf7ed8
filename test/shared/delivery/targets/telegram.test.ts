import { describe, expect, test } from 'vitest';
import type { PostRequest } from '#shared/delivery/http-client.ts';
import type { PersonOutcome } from '#shared/delivery/targets/person.ts';
import { type ChatPauses, createTelegram, withPauses } from '#shared/delivery/targets/telegram.ts';

type Answer = { status?: number | null; error?: 'timeout' | 'tls_failed'; body?: string };
const noPhases = { dns: null, connect: null, tls: null, firstByte: null };
/** Sends a message through a service that gives these responses in order. Returns the outcome and the requests. */
const sendTo = async (chat: string, ...answers: Answer[]) => {
  const requests: PostRequest[] = [];
  const post = async (request: PostRequest) => {
    const { status = null, error = null, body = '' } = answers[requests.length] ?? {};
    requests.push(request);
    return {
      status,
      error,
      responseBody: body,
      retryAfter: null,
      acknowledgedBy: null,
      durationMs: 0,
      timings: noPhases,
    };
  };
  const outcome = await createTelegram(async () => ({ post }), '1:token')(chat, 'a text');
  return { outcome, requests };
};
const outcomeOf = async (answer: Answer) => (await sendTo('7', answer)).outcome;
const refusal = (description: unknown, parameters?: object) =>
  JSON.stringify({ ok: false, description, ...(parameters && { parameters }) });

describe('messages to Telegram', () => {
  test("a message is sent through the stage's Telegram bot as JSON", async () => {
    const { outcome, requests } = await sendTo('7', { status: 200, body: '{"ok":true}' });
    expect(outcome).toBe('accepted');
    expect(requests).toEqual([
      {
        url: 'https://api.telegram.org/bot1:token/sendMessage',
        headers: { 'Content-Type': 'application/json' },
        body: '{"chat_id":"7","text":"a text","link_preview_options":{"is_disabled":true}}',
      },
    ]);
  });

  test.each(['{"ok":true}', ' { "ok" : true, "result": {', '\n{\t"ok"\n:\ntrue}'])(
    'a message is accepted after a 200 response with body %j',
    async (body) => {
      expect(await outcomeOf({ status: 200, body })).toBe('accepted');
    },
  );

  test.each([
    [201, '{"ok":true}', 'status_201'],
    [500, '{"ok":true}', 'status_500'],
    [200, '{"ok":trueish}', 'unexpected_response'],
    [200, '[{"ok":true}]', 'unexpected_response'],
    [200, '{"error":1,"ok":true}', 'unexpected_response'],
    [200, '{"ok":"true"}', 'unexpected_response'],
    [200, '', 'unexpected_response'],
  ])('a message is retried after a %d response with body %j', async (status, body, retry) => {
    expect(await outcomeOf({ status, body })).toEqual({ retry });
  });

  test('a message is retried after a connection error, with the error name as the reason', async () => {
    expect(await outcomeOf({ error: 'tls_failed' })).toEqual({ retry: 'tls_failed' });
  });

  test.each([
    'chat not found',
    'chat_id is empty',
    'PEER_ID_INVALID',
    'user not found',
    'user is deactivated',
    'USER_IS_BLOCKED',
    'bot was blocked by the user',
    'bot was kicked from the group chat',
    'bot is not a member of the channel chat',
    'group chat was deactivated',
    'group is deleted',
    'CHAT_WRITE_FORBIDDEN',
    'CHAT_RESTRICTED',
    'CHAT_ADMIN_REQUIRED',
    'CHAT_SEND_FORBIDDEN',
    'CHAT_SEND_PLAIN_FORBIDDEN',
    'CHANNEL_PRIVATE',
    'CHANNEL_INVALID',
    'need administrator rights in the channel chat',
    'not enough rights to send text messages to the chat',
    'have no rights to send a message',
    'TOPIC_CLOSED',
    'TOPIC_DELETED',
    'message thread not found',
  ])('a message is not retried after a 400 response caused by the chat: %s', async (error) => {
    const description = `Bad Request: ${error}`;
    expect(await outcomeOf({ status: 400, body: refusal(description) })).toEqual({
      refused: 'status_400',
      answer: description,
    });
    expect(await outcomeOf({ status: 400, body: refusal(description.toLowerCase()) })).toMatchObject({
      refused: 'status_400',
    });
    expect(await outcomeOf({ status: 500, body: refusal(description) })).toEqual({ retry: 'status_500' });
  });

  test('a message is not retried after a 403 response, and the reason is kept', async () => {
    const body = refusal('x'.repeat(300));
    expect(await outcomeOf({ status: 403, body })).toEqual({ refused: 'status_403', answer: 'x'.repeat(200) });
    expect(await outcomeOf({ status: 403, body: '{"ok":false}' })).toEqual({ refused: 'status_403', answer: '' });
    expect(await outcomeOf({ status: 403, body: refusal(5) })).toEqual({ refused: 'status_403', answer: '5' });
    expect(await outcomeOf({ status: 403, body: '{"ok":null}' })).toEqual({ retry: 'status_403' });
  });

  test('a message waits as long as Telegram requests, in whole seconds', async () => {
    const outcomeAfter = async (seconds: unknown) =>
      outcomeOf({ status: 429, body: refusal('', { retry_after: seconds }) });
    expect(await outcomeAfter(35)).toEqual({ retry: 'status_429', afterSeconds: 35 });
    expect(await outcomeAfter(0.2)).toEqual({ retry: 'status_429', afterSeconds: 1 });
    for (const seconds of [0, -1, '35', null]) expect(await outcomeAfter(seconds)).toEqual({ retry: 'status_429' });
  });
});

describe('supergroups', () => {
  const moved = (chat: unknown): Answer => ({ status: 400, body: refusal('moved', { migrate_to_chat_id: chat }) });

  test('a message reaches a group that became a supergroup under its new id', async () => {
    const { outcome, requests } = await sendTo('-7', moved(-100), { status: 200, body: '{"ok":true}' });
    expect(outcome).toEqual({ movedTo: '-100' });
    expect(requests.map(({ body }) => JSON.parse(String(body)).chat_id)).toEqual(['-7', '-100']);
  });

  test('a group keeps its old chat id until the supergroup id works', async () => {
    expect((await sendTo('-7', moved(-100), { status: 502 })).outcome).toEqual({ retry: 'status_502' });
  });

  test.each([
    ['unchanged', -7],
    ['0', 0],
    ['a string', '-100'],
    ['null', null],
    ['a fraction', 1.5],
  ])('a message to a group is not sent again if the new id is %s', async (_, chat) => {
    const { outcome, requests } = await sendTo('-7', moved(chat), { status: 200, body: '{"ok":true}' });
    expect([outcome, requests.length]).toEqual([{ retry: 'status_400' }, 1]);
  });

  test('a message to a group is not sent again after a success', async () => {
    const body = '{"ok":true,"parameters":{"migrate_to_chat_id":-100}}';
    expect((await sendTo('-7', { status: 200, body })).requests).toHaveLength(1);
  });
});

describe('paused chats', () => {
  const START = 1_800_000_000_000;
  const world = () => {
    const sent: string[] = [];
    const pauses: ChatPauses = new Map();
    let time = START;
    let answer: PersonOutcome = { retry: 'status_429', afterSeconds: 35 };
    const send = withPauses(
      async (chat, text) => {
        sent.push(`${chat} ${text}`);
        return answer;
      },
      pauses,
      () => time,
    );
    return {
      sent,
      pauses,
      send,
      at: (ms: number) => {
        time = START + ms;
      },
      answer: (next: PersonOutcome) => {
        answer = next;
      },
    };
  };

  test('nothing is sent to a paused chat before the requested time, in whole seconds', async () => {
    const { sent, pauses, send, at, answer } = world();
    expect(await send('7', 'a')).toEqual({ retry: 'status_429', afterSeconds: 35 });
    answer('accepted');
    at(34_999);
    expect(await send('7', 'b')).toEqual({ retry: 'status_429', afterSeconds: 1 });
    expect(await send('8', 'c')).toBe('accepted');
    at(35_000);
    expect(await send('7', 'd')).toBe('accepted');
    expect(sent).toEqual(['7 a', '8 c', '7 d']);
    expect(pauses.size).toBe(0);
  });

  test('a chat can be paused for an hour', async () => {
    const { send, answer } = world();
    answer({ retry: 'status_429', afterSeconds: 3_600 });
    await send('7', 'a');
    expect(await send('7', 'b')).toEqual({ retry: 'status_429', afterSeconds: 3_600 });
  });

  test('a paused chat receives messages again if the clock was set back to before the pause', async () => {
    const { sent, send, at, answer } = world();
    await send('7', 'a');
    answer('accepted');
    at(-10_000);
    expect(await send('7', 'b')).toEqual({ retry: 'status_429', afterSeconds: 45 });
    at(-10_001);
    expect(await send('7', 'c')).toBe('accepted');
    expect(sent).toEqual(['7 a', '7 c']);
  });

  test.each<PersonOutcome>(['accepted', { retry: 'status_500' }, { refused: 'gone', answer: '' }, { movedTo: '8' }])(
    'a chat is not paused after %j',
    async (outcome) => {
      const { pauses, send, answer } = world();
      answer(outcome);
      expect(await send('7', 'a')).toEqual(outcome);
      expect(pauses.size).toBe(0);
    },
  );
});
