import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { TableClient } from '../../shared/store/client.ts';
import { marshal, unmarshal } from './dynamodb-values.ts';
import type { HttpAnswer } from './http-answer.ts';
import { keepAliveSockets } from './keep-alive.ts';

type Fields = Record<string, unknown>;
type Rule = (value: never) => unknown;

/** Converts each field by the rule of its name, and leaves other fields as they are. */
const by = (rules: Readonly<Record<string, Rule>>) => (fields: Fields) => {
  const changed = { ...fields };
  for (const [name, rule] of Object.entries(rules))
    if (fields[name] !== undefined) changed[name] = rule(fields[name] as never);
  return changed;
};
const list = (rule: Rule) => (all: unknown[]) => all.map((one) => rule(one as never));
const each = (rule: Rule) => (all: Fields) =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, rule(one as never)]));

const one = { Key: marshal, Item: marshal, ExclusiveStartKey: marshal, ExpressionAttributeValues: marshal };
/** The fields of the store's requests that hold documents. */
const requestOf = by({
  ...one,
  RequestItems: each(by({ Keys: list(marshal) })),
  TransactItems: list(each(by(one))),
});
/** The fields of the answers that hold documents. */
const outputOf = by({
  Item: unmarshal,
  Attributes: unmarshal,
  LastEvaluatedKey: unmarshal,
  Items: list(unmarshal),
  Responses: each(list(unmarshal)),
  UnprocessedKeys: each(by({ Keys: list(unmarshal) })),
});

const parsed = (body: string): Fields => {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
};

/** Creates an error with the name that the SDK would give it; shared/store/retry.ts decides by this name. */
const errorOf = ({ status, body }: HttpAnswer): Error => {
  const { __type, message, Message, CancellationReasons } = parsed(body);
  const name = typeof __type === 'string' ? __type.replace(/^.*#/, '') : '';
  const text = String(message ?? Message ?? 'UnknownError');
  return Object.assign(new Error(text), {
    name: name || (status >= 500 ? 'InternalServerError' : 'UnknownError'),
    ...(CancellationReasons !== undefined && { CancellationReasons }),
  });
};

const operations = new Map<unknown, string>([
  [GetCommand, 'GetItem'],
  [BatchGetCommand, 'BatchGetItem'],
  [QueryCommand, 'Query'],
  [PutCommand, 'PutItem'],
  [UpdateCommand, 'UpdateItem'],
  [DeleteCommand, 'DeleteItem'],
  [TransactWriteCommand, 'TransactWriteItems'],
]);

/**
 * Creates a client that calls the engine on this machine by DynamoDB's JSON protocol, without what only a remote
 * service needs. That is a fifth of the SDK's work. `signature` contains the headers without which an engine refuses
 * a call. A call without an answer after `timeoutMs` ms ends as a TimeoutError; this client retries nothing
 * (shared/store/retry.ts does).
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
 */
export const dynamodbJson = (endpoint: string, signature: Readonly<Record<string, string>>, timeoutMs = 2_000) => {
  const post = keepAliveSockets(endpoint, timeoutMs);
  const headers = Object.entries({ Host: new URL(endpoint).host, ...signature });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const send = async (command: { input: object }): Promise<object> => {
    const operation = operations.get(command.constructor);
    if (!operation) throw new Error('the store makes no such call');
    const body = JSON.stringify(requestOf({ ...command.input }));
    const answer = await post(
      `POST / HTTP/1.1\r\n${head}Content-Type: application/x-amz-json-1.0\r\n` +
        `X-Amz-Target: DynamoDB_20120810.${operation}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    if (answer.status !== 200) throw errorOf(answer);
    return outputOf(JSON.parse(answer.body));
  };
  return { send } as TableClient;
};
