import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { handler } from '#functions/api/server/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { logTo } from '#shared/observability/log.ts';
import { QueueUnavailable } from '#shared/queue/unavailable.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { runtimeOfLambda } from '#test/fixtures/lambda.ts';

test.each([
  ['an unavailable table', 503, new TableUnavailable('gone')],
  ['an unavailable queue', 503, new QueueUnavailable('nothing accepted')],
  ['an AWS service timeout', 503, Object.assign(new Error('no response'), { name: 'TimeoutError' })],
  ['a bug in the code', 500, new Error('a bug')],
])('%s leads to a %i and a log line with the same request id', async (_, status, error) => {
  const lines: Record<string, unknown>[] = [];
  const log = logTo((line) => lines.push(JSON.parse(line)));
  const runtime = runtimeOfLambda();
  const table = { ...runtime.table, update: () => Promise.reject(error) };
  const context = lambdaContext({
    functionName: 'server',
    timeoutSeconds: 15,
    clock: systemClock,
    newId: () => 'the-id',
  });
  const event = { httpMethod: 'GET', resource: '/api/v1/server/config', headers: {}, multiValueHeaders: {} };
  const answer = await handler.with({ ...runtime, log, table })(event as APIGatewayProxyEvent, context);
  expect(answer).toMatchObject({ statusCode: status, headers: { 'X-Request-Id': 'the-id' } });
  expect(lines).toMatchObject([{ requestId: 'the-id', operation: 'getServerConfig' }]);
});
