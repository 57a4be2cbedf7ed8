import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { group } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { Status } from '#shared/domain/values.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { runtimeOfLambda } from '#test/fixtures/lambda.ts';

const slow = group({
  name: 'slow',
  about: 'Calls that take longer than their caller waits',
  operations: {
    wait: {
      method: 'POST',
      path: '/slow',
      summary: 'Wait',
      auth: 'anyone',
      withoutTable: true,
      success: 200,
      response: Status,
      uses: ['canary.startRound', 'enqueue:timers'],
    },
  },
});

test('a request writes nothing to the table or a queue after its 503 response', async () => {
  const done: string[] = [];
  const thawed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string[]>();
  const handler = serve(slow, {
    wait: async (_, { store, enqueue }) => {
      await store.canary.startRound('before', 0);
      await thawed.promise;
      const task = { type: 'check_sensor', customerId: 1, sensorId: 'id_a' } as const;
      const outcomes = await Promise.allSettled([store.canary.startRound('after', 0), enqueue([task])]);
      ended.resolve(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.name : 'done')));
      return { status: 'OK' };
    },
  });
  const client = { send: async () => ({ $metadata: done.push('table') }) };
  const queues = { send: async () => void done.push('queue') };
  const runtime = { ...runtimeOfLambda(), log: () => {}, table: createTable(client as never, 't'), queues } as never;
  const event = { httpMethod: 'POST', resource: '/api/v1/slow', headers: {}, multiValueHeaders: {}, body: null };
  const context = lambdaContext({ functionName: 'slow', timeoutSeconds: 0.55, clock: systemClock });
  const answer = await handler.with(runtime)(event as unknown as APIGatewayProxyEvent, context);
  expect(answer.statusCode).toBe(503);
  thawed.resolve();
  expect(await ended.promise).toEqual(['TableUnavailable', 'QueueUnavailable']);
  expect(done).toEqual(['table']);
});
