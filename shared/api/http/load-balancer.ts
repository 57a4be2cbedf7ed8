import type { ALBEvent, ALBResult, Context } from 'aws-lambda';
import type { Group } from '../operation.ts';
import type { ApiHandler } from '../serve.ts';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from './exchange.ts';
import { createRouter, decoded } from './router.ts';

type ListedValues = Readonly<Record<string, string[] | undefined>>;
const lastOf = (all: ListedValues): Record<string, string> =>
  Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values?.at(-1) ?? '']));

/** Decodes the query, which load balancers pass on as sent. API Gateway decodes it itself. */
const decodedQuery = (query: ListedValues): Record<string, string[]> => {
  const decode = (text: string) => decoded(text.replaceAll('+', ' '));
  return Object.fromEntries(Object.entries(query).map(([name, values = []]) => [decode(name), values.map(decode)]));
};

/**
 * Returns the TCP peer, which the load balancer appends to this header, either to its only value or to a copy of what
 * the caller sent. Everything before the peer may come from the caller.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/x-forwarded-headers.html
 */
const peerOf = (headers: ListedValues): string =>
  (headers['x-forwarded-for'] ?? []).join(',').split(',').at(-1)?.trim() ?? '';

/** Returns the event API Gateway would have sent for a request. */
const eventOf = (event: ALBEvent, route: ReturnType<typeof createRouter>): APIGatewayProxyEvent => {
  const { httpMethod, path, body, isBase64Encoded, multiValueHeaders: headers = {} } = event;
  const query = decodedQuery(event.multiValueQueryStringParameters ?? {});
  const { resource, pathParameters } = route(path);
  return {
    resource,
    path,
    httpMethod,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: lastOf(query),
    multiValueQueryStringParameters: query,
    pathParameters,
    stageVariables: null,
    requestContext: { identity: { sourceIp: peerOf(headers) } } as APIGatewayProxyEvent['requestContext'],
    body,
    isBase64Encoded,
  };
};

/** Returns a response in the form expected by a load balancer, which reads only `multiValueHeaders`. */
const resultOf = ({
  statusCode,
  headers,
  multiValueHeaders,
  body,
  isBase64Encoded,
}: APIGatewayProxyResult): ALBResult => {
  const single = Object.entries(headers ?? {}).map(([name, value]) => [name, [String(value)]]);
  return {
    statusCode,
    multiValueHeaders: { ...Object.fromEntries(single), ...multiValueHeaders },
    body,
    isBase64Encoded: isBase64Encoded ?? false,
  };
};

/**
 * Returns a handler for both API Gateway and an Application Load Balancer. The load balancer's target group must pass
 * multi-value headers (`lambda.multi_value_headers.enabled`).
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const behindLoadBalancer = (contract: Group, handle: ApiHandler) => {
  const route = createRouter([contract]);
  return async (
    event: APIGatewayProxyEvent | ALBEvent,
    context: Context,
  ): Promise<APIGatewayProxyResult | ALBResult> => {
    if (!('elb' in event.requestContext)) return handle(event as APIGatewayProxyEvent, context);
    return resultOf(await handle(eventOf(event as ALBEvent, route), context));
  };
};
