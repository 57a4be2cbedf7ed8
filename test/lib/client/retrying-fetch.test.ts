import { expect, test } from 'vitest';
import { retryingFetch } from '#lib/client/retrying-fetch.ts';

/** Answers one status after the other, and the last one for ever. */
const service = (...answers: [status: number, retryAfter?: string][]) => {
  const calls: string[] = [];
  const waited: number[] = [];
  const send = async (request: Request): Promise<Response> => {
    const [status, retryAfter] = answers[Math.min(calls.length, answers.length - 1)] ?? [500];
    calls.push(await request.text());
    return new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } });
  };
  const pause = async (seconds: number) => void waited.push(seconds);
  return { calls, waited, call: retryingFetch(send, { pause }), send };
};
const get = () => new Request('http://localhost/a');
const post = () => new Request('http://localhost/a', { method: 'POST', body: 'text' });

test('a 429 is repeated after its Retry-After, with its body, whatever it changes', async () => {
  const { call, calls, waited } = service([429, '3'], [429], [200]);
  expect((await call(post())).status).toBe(200);
  expect([calls, waited]).toEqual([
    ['text', 'text', 'text'],
    [3, 1],
  ]);
});

test('a 503 is repeated where nothing is changed, and given as it is where something may be', async () => {
  const reading = service([503, '2'], [200]);
  expect((await reading.call(get())).status).toBe(200);
  const writing = service([503, '2'], [200]);
  expect((await writing.call(post())).status).toBe(503);
  expect(writing.calls).toHaveLength(1);
});

test('after six attempts, and for a wait that is too long or no number, the answer is given as it is', async () => {
  const never = service([429, '1']);
  expect((await never.call(get())).status).toBe(429);
  expect(never.calls).toHaveLength(6);
  for (const retryAfter of ['16', 'Fri, 31 Dec 2027 23:59:59 GMT']) {
    const late = service([429, retryAfter]);
    expect((await late.call(get())).status).toBe(429);
    expect([late.calls.length, late.waited]).toEqual([1, []]);
  }
});

test('other errors are not repeated', async () => {
  for (const status of [400, 401, 404, 409, 500]) {
    const { call, calls } = service([status]);
    expect((await call(get())).status).toBe(status);
    expect(calls).toHaveLength(1);
  }
});

test('a wait ends when the call is aborted', async () => {
  const { send } = service([429, '10']);
  const abort = new AbortController();
  const call = retryingFetch(send)(new Request('http://localhost/a', { signal: abort.signal }));
  abort.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
