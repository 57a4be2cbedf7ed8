import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler as devices } from '#functions/api/devices/handler.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { APIGatewayProxyEvent } from '#shared/api/http/exchange.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { nextHardwareId } from '#test/fixtures/home.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

/**
 * Sends a request in HTTP API payload version 1.0: JSON is text, and paths without a separate route have the resource
 * `$default`. https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const call = async (httpMethod: string, resource: string, path: string, body: object | null = null) => {
  const headers = { Authorization: `Bearer ${PROVISIONING_KEY}`, 'Content-Type': 'application/json' };
  const event = {
    version: '1.0',
    resource,
    path,
    httpMethod,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    isBase64Encoded: false,
    body: body && JSON.stringify(body),
    requestContext: {
      stage: '$default',
      path,
      httpMethod,
      requestId: 'id=',
      protocol: 'HTTP/1.1',
      resourcePath: resource,
      resourceId: `${httpMethod} ${resource}`,
      identity: { sourceIp: '192.0.2.1' },
    },
  } as unknown as APIGatewayProxyEvent;
  const context = { getRemainingTimeInMillis: () => 10_000 };
  const {
    statusCode,
    headers: responseHeaders = {},
    body: text,
  } = await devices.with(cloud.runtime)(event, context as never);
  return { statusCode, headers: responseHeaders, body: text === '' ? null : JSON.parse(text) };
};
const register = '/api/v1/devices/register';

test('the device API registers a device', async () => {
  const device = { manufacturer: 'maker_a', hardwareId: nextHardwareId(), firmwareVersion: 1, model: 'Würfel' };
  const { statusCode, headers, body } = await call('POST', register, register, device);
  expect([statusCode, body]).toEqual([201, expect.objectContaining({ sensorId: expect.any(String) })]);
  expect(headers['X-Request-Id']).toBe('id=');
});

test('the device API responds to unknown paths with a 404 in the usual format', async () => {
  for (const path of ['/', '/api/v1/users/login', '/api/v1/devices/register/more']) {
    const { statusCode, headers, body } = await call('POST', '$default', path, {});
    expect([path, statusCode, body]).toEqual([path, 404, { statusCode: 404, message: expect.any(String) }]);
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-Request-Id': 'id=' });
  }
});

test('the device API responds to wrong methods with a 405, and to OPTIONS with a 204', async () => {
  const wrong = await call('DELETE', register, register);
  expect([wrong.statusCode, wrong.headers.Allow]).toEqual([405, 'POST, OPTIONS']);
  expect(wrong.body).toEqual({ statusCode: 405, message: expect.any(String) });
  expect((await call('OPTIONS', register, register)).statusCode).toBe(204);
});
