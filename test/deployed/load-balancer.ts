import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ALBEvent, ALBResult } from 'aws-lambda';
import { multiValues } from '#lib/local/http/server.ts';
import type { Account } from './account.ts';
import type { DeployedFunction } from './functions.ts';
import { permissionsOf } from './routes.ts';

/** The largest request body, and the largest response. */
const MAX_BYTES = 1_024 * 1_024;

type Condition = {
  Field: string;
  HttpHeaderConfig?: { HttpHeaderName: string; Values: string[] };
  PathPatternConfig?: { Values: string[] };
};
type Action = {
  Type: string;
  TargetGroupArn?: string;
  FixedResponseConfig?: { StatusCode: string; ContentType: string; MessageBody: string };
};
type Listener = { Port: number; Protocol: string; DefaultActions: Action[] };
type Rule = { Priority: number; Conditions: Condition[]; Actions: Action[] };
type TargetGroup = {
  TargetType: string;
  Targets: { Id: string }[];
  TargetGroupAttributes: { Key: string; Value: string }[];
};

/** Matches a value against a pattern: `?` is one character, `*` any number. */
const isMatch = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('?', '.')
      .replaceAll('*', '.*')}$`,
  ).test(value);

const isMet = ({ Field, HttpHeaderConfig, PathPatternConfig }: Condition, request: IncomingMessage, path: string) => {
  if (Field === 'path-pattern' && PathPatternConfig)
    return PathPatternConfig.Values.some((pattern) => isMatch(pattern, path));
  if (Field !== 'http-header' || !HttpHeaderConfig) throw new Error(`the condition ${Field} is not simulated`);
  const value = request.headers[HttpHeaderConfig.HttpHeaderName];
  return HttpHeaderConfig.Values.some((pattern) => isMatch(pattern, String(value ?? '')));
};

/** A load balancer passes bodies with these types as text, unless they are compressed. */
const isText = ({ 'content-type': type = '', 'content-encoding': encoding }: IncomingMessage['headers']): boolean =>
  encoding === undefined && /^(text\/|application\/(json|javascript|xml)\b)/i.test(type);

/** Returns the event for a target group with `lambda.multi_value_headers.enabled`, with lower-case header names. */
const eventOf = (request: IncomingMessage, body: Buffer, targetGroupArn: string): ALBEvent => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const pairs = request.rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name.toLowerCase(), request.rawHeaders[at + 1] ?? '']] : [],
  );
  const sent = multiValues(pairs);
  const forwarded = [...(sent['x-forwarded-for'] ?? []), request.socket.remoteAddress ?? ''];
  const isBase64Encoded = !isText(request.headers);
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: request.method ?? 'GET',
    path,
    multiValueQueryStringParameters: multiValues(
      query.split('&').flatMap((part): [string, string][] => {
        const [name = '', value = ''] = part.split('=');
        return part === '' ? [] : [[name, value]];
      }),
    ),
    multiValueHeaders: {
      ...sent,
      'x-amzn-trace-id': ['Root=1-5bdb40ca-556d8b0c50dc66f0511bf520'],
      // The load balancer appends its own values to the caller's (github.com/laravel/vapor-core/pull/25).
      'x-forwarded-for': [...(sent['x-forwarded-for'] ?? []), forwarded.join(', ')],
      'x-forwarded-port': ['443'],
      'x-forwarded-proto': [...(sent['x-forwarded-proto'] ?? []), 'https'],
    },
    body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
};

/** Sends a function's response. A load balancer reads only the status and the multi-value headers. */
const send = (
  response: ServerResponse,
  { statusCode, multiValueHeaders, headers, body, isBase64Encoded }: ALBResult,
) => {
  if (headers !== undefined || typeof isBase64Encoded !== 'boolean') throw new Error('the load balancer answers 502');
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    if (!Array.isArray(values) || values.some((value) => typeof value !== 'string'))
      throw new Error(`${name} is no list`);
    response.setHeader(name, values as string[]);
  }
  response.statusCode = statusCode;
  response.end(isBase64Encoded ? Buffer.from(body ?? '', 'base64') : body);
};

/** Sends a page from the load balancer itself. */
const page = (response: ServerResponse, status: number, type = 'text/html', body = `<html>${status}</html>`): void =>
  void response.writeHead(status, { 'Content-Type': type, Server: 'awselb/2.0' }).end(body);

type Options = {
  account: Account;
  functions: ReadonlyMap<string, DeployedFunction>;
  translate: (body: Buffer) => Buffer;
  onError: (error: unknown) => void;
};

/** Returns a target group's function, if the load balancer may invoke it. */
const targetOf = ({ account, functions }: Options, arn: string): DeployedFunction => {
  const group = account
    .all<TargetGroup>('AWS::ElasticLoadBalancingV2::TargetGroup')
    .find(({ id }) => account.ref(id) === arn);
  const [target] = group?.Targets ?? [];
  const lambda = functions.get(target?.Id ?? '');
  const hasLists = group?.TargetGroupAttributes.some(
    ({ Key, Value }) => Key === 'lambda.multi_value_headers.enabled' && Value === 'true',
  );
  if (!lambda || group?.TargetType !== 'lambda' || !hasLists) throw new Error(`${arn} has no function`);
  if (permissionsOf(account, 'elasticloadbalancing.amazonaws.com', target?.Id ?? '', arn).length === 0)
    throw new Error(`${lambda.name} may not be invoked by ${arn}`);
  return lambda;
};

/**
 * Returns the request handler for an account's load balancer, or null if there is none.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const loadBalancerOf = (options: Options) => {
  const { account, translate, onError } = options;
  const [listener] = account.all<Listener>('AWS::ElasticLoadBalancingV2::Listener');
  if (!listener) return null;
  const rules = account
    .all<Rule>('AWS::ElasticLoadBalancingV2::ListenerRule')
    .toSorted((a, b) => a.Priority - b.Priority);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?');
    const body = Buffer.concat(await request.toArray());
    const rule = rules.find(({ Conditions }) => Conditions.every((condition) => isMet(condition, request, path)));
    const [action] = rule?.Actions ?? listener.DefaultActions;
    const { FixedResponseConfig: fixed, TargetGroupArn = '' } = action ?? {};
    if (fixed) return page(response, Number(fixed.StatusCode), fixed.ContentType, fixed.MessageBody);
    if (body.length > MAX_BYTES) return page(response, 413);
    try {
      const result = (await targetOf(options, TargetGroupArn).invoke(
        eventOf(request, translate(body), TargetGroupArn),
      )) as ALBResult;
      if (Buffer.byteLength(JSON.stringify(result)) > MAX_BYTES) throw new Error('the response is larger than 1 MB');
      send(response, result);
    } catch (error) {
      onError(error);
      page(response, 502);
    }
  };
};
