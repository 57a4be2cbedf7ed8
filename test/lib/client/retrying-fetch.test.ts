import { expect, test } from 'vitest';
import { retryingFetch } from '#lib/client/retrying-fetch.ts';

/** A service that responds with the given statuses in turn, then keeps repeating the last one. */
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

test('retries any request, including its body, after the Retry-After time of a 429 response', async () => {
  const { call, calls, waited } = service([429, '3'], [429], [200]);
  expect((await call(post())).status).toBe(200);
  expect([calls, waited]).toEqual([
    ['text', 'text', 'text'],
    [3, 1],
  ]);
});

test('retries after a 503 response only if the request has no side effects', async () => {
  const reading = service([503, '2'], [200]);
  expect((await reading.call(get())).status).toBe(200);
  const writing = service([503, '2'], [200]);
  expect((await writing.call(post())).status).toBe(503);
  expect(writing.calls).toHaveLength(1);
});

test('returns the response after six attempts, or if Retry-After is too long or not a number', async () => {
  const never = service([429, '1']);
  expect((await never.call(get())).status).toBe(429);
  expect(never.calls).toHaveLength(6);
  for (const retryAfter of ['16', 'Fri, 31 Dec 2027 23:59:59 GMT']) {
    const late = service([429, retryAfter]);
    expect((await late.call(get())).status).toBe(429);
    expect([late.calls.length, late.waited]).toEqual([1, []]);
  }
});

test('does not retry other error statuses', async () => {
  for (const status of [400, 401, 404, 409, 500]) {
    const { call, calls } = service([status]);
    expect((await call(get())).status).toBe(status);
    expect(calls).toHaveLength(1);
  }
});

test('stops waiting when the request is aborted', async () => {
  const { send } = service([429, '10']);
  const abort = new AbortController();
  const call = retryingFetch(send)(new Request('http://localhost/a', { signal: abort.signal }));
  abort.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
