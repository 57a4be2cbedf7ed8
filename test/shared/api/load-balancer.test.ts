import type { ALBEvent, ALBResult } from 'aws-lambda';
import { expect, test } from 'vitest';
import { devices } from '#functions/api/devices/contract.ts';
import { behindLoadBalancer } from '#shared/api/http/load-balancer.ts';
import type { ApiHandler } from '#shared/api/serve.ts';

const context = {} as Parameters<ApiHandler>[1];
type Event = Parameters<ApiHandler>[0];

/** Returns the event a handler gets for a load balancer request, and the response to it. */
const call = async (request: Partial<ALBEvent>, result: Partial<Awaited<ReturnType<ApiHandler>>> = {}) => {
  let seen: Event | undefined;
  const handle: ApiHandler = async (event) => {
    seen = event;
    return { statusCode: 202, body: '', ...result };
  };
  const event: ALBEvent = {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/a/0' } },
    httpMethod: 'POST',
    path: '/api/v1/devices/id_1/messages',
    multiValueQueryStringParameters: {},
    multiValueHeaders: {},
    body: '',
    isBase64Encoded: false,
    ...request,
  };
  const answer = (await behindLoadBalancer(devices, handle)(event, context)) as ALBResult;
  if (!seen) throw new Error('the handler was not called');
  return { seen, answer };
};

test('a load balancer request is converted to an API Gateway request', async () => {
  const multiValueHeaders = { authorization: ['Bearer a'], 'content-type': ['a/b', 'application/json'] };
  const { seen } = await call({ path: '/api/v1/devices/id%5F1/messages', multiValueHeaders, body: 'e30=' });
  expect(seen).toMatchObject({
    resource: '/api/v1/devices/{sensorId}/messages',
    pathParameters: { sensorId: 'id_1' },
    headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
    multiValueHeaders,
    body: 'e30=',
    isBase64Encoded: false,
  });
  expect((await call({ body: 'e30=', isBase64Encoded: true })).seen.isBase64Encoded).toBe(true);
});

test.each([
  ['/api/v1/devices/register', '/api/v1/devices/register'],
  ['/api/v1/devices/id_1/other', '/{proxy+}'],
  ['/api/v1/users/me', '/{proxy+}'],
])('path %s maps to the resource %s', async (path, resource) => {
  expect((await call({ path })).seen.resource).toBe(resource);
});

test('the query is decoded the same way as in API Gateway', async () => {
  const multiValueQueryStringParameters = { 'a%20b': ['1+2', '%C3%A4'], c: ['%'] };
  const { seen } = await call({ multiValueQueryStringParameters });
  expect(seen.multiValueQueryStringParameters).toEqual({ 'a b': ['1 2', 'ä'], c: ['%'] });
  expect(seen.queryStringParameters).toEqual({ 'a b': 'ä', c: '%' });
});

test.each([
  [['198.51.100.7'], '198.51.100.7'],
  [['192.0.2.1, 198.51.100.7'], '198.51.100.7'],
  [['192.0.2.1', '192.0.2.1, 198.51.100.7'], '198.51.100.7'],
  [['192.0.2.1, 2001:db8::1'], '2001:db8::1'],
  [undefined, ''],
])('only the last X-Forwarded-For entry counts: %j', async (entries, sourceIp) => {
  const multiValueHeaders = entries ? { 'x-forwarded-for': entries } : {};
  const { seen } = await call({ multiValueHeaders });
  expect(seen.requestContext.identity.sourceIp).toBe(sourceIp);
});

test('a response to the load balancer uses multi-value headers', async () => {
  const { answer } = await call(
    {},
    { body: '{}', headers: { 'Retry-After': 2, Allow: 'POST' }, multiValueHeaders: { 'Set-Cookie': ['a', 'b'] } },
  );
  expect(answer).toEqual({
    statusCode: 202,
    multiValueHeaders: { 'Retry-After': ['2'], Allow: ['POST'], 'Set-Cookie': ['a', 'b'] },
    body: '{}',
    isBase64Encoded: false,
  });
});

test('API Gateway events are passed on unchanged', async () => {
  const event = { requestContext: { requestId: 'a' } } as Event;
  const handle: ApiHandler = async (given) => ({ statusCode: 200, body: String(given === event), headers: { A: 'b' } });
  expect(await behindLoadBalancer(devices, handle)(event, context)).toEqual({
    statusCode: 200,
    body: 'true',
    headers: { A: 'b' },
  });
});
