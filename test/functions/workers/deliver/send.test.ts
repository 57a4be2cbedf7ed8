import { expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { findMessage, send } from '#functions/workers/deliver/send.ts';
import { stubDeps } from '#test/fixtures/stub-deps.ts';
import { toWebhook, webhook } from '#test/fixtures/webhook-attempts.ts';

const { event, ...others } = toWebhook().snapshot;
/** A delivery whose body is the message from the sensor. */
const raw = toWebhook({ format: 'raw', snapshot: { ...others, event: { ...event, source: 'm1' } } });

const createWorld = (message: string | null) => {
  const posts: { url: string; body: string }[] = [];
  const reads: unknown[][] = [];
  const bytes = async (...args: unknown[]) => {
    reads.push(args);
    return message;
  };
  const post = async (request: { url: string; body: string }) => {
    posts.push(request);
    return { status: 200, error: null, durationMs: 50, responseBody: '', retryAfter: null, acknowledgedBy: null };
  };
  const stubs = stubDeps<DeliverDeps>({ events: { bytes } }, { webhookClient: { post } });
  Object.assign(stubs.deps.settings, { SIGNATURE_HEADER: '' });
  const secrets = { webhook: { ...webhook, token: null, secretKey: null } as never, addressKey: 'a-key' };
  return { ...stubs, posts, reads, send: (delivery = raw) => send(stubs.deps, delivery, secrets) };
};

test('the body of a delivery is rendered from its snapshot, without reading the message', async () => {
  const { deps, reads, send: sendIt, posts } = createWorld(null);
  expect(await findMessage(deps, toWebhook())).toEqual({ kind: 'found', raw: null });
  expect(await sendIt(toWebhook())).toMatchObject({
    kind: 'sent',
    result: { status: 200 },
    outcome: { what: 'accepted' },
  });
  expect([reads, posts.map(({ url }) => url)]).toEqual([[], [webhook.url]]);
});

test('a raw delivery sends the message as the sensor sent it', async () => {
  const { deps, reads, send: sendIt, posts } = createWorld('{"type":5}');
  expect(await findMessage(deps, raw)).toEqual({ kind: 'found', raw: '{"type":5}' });
  expect(reads).toEqual([[raw.customerId, 's1', 'm1']]);
  await sendIt();
  expect(posts.map(({ body }) => body)).toEqual(['{"type":5}']);
});

test('a delivery that has lost its message sends nothing, fires an alarm and is retried', async () => {
  const { send: sendIt, posts, logged, measured } = createWorld(null);
  const answer = await sendIt();
  expect(answer).toMatchObject({ kind: 'unsent', result: { error: 'message_missing' }, outcome: { what: 'failed' } });
  expect(posts).toEqual([]);
  expect(measured).toEqual([['TasksFailed', 1, { worker: 'deliver', kind: 'missing' }]]);
  const { customerId, webhookId, id: deliveryId } = raw;
  const details = { customerId, webhookId, deliveryId, message: 'm1' };
  expect(logged).toEqual([['error', 'a delivery has lost its message', details]]);
});
