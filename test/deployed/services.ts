import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { simpleParser } from 'mailparser';
import type { Cipher } from '#shared/auth/vault.ts';
import type { Publish } from '#shared/aws/publish.ts';
import type { IamRequest } from '../fixtures/iam.ts';
import { askedOf, type Judge, movesOf } from '../fixtures/iam-check.ts';
import type { Request } from '../fixtures/sqs-server.ts';
import { accessesIn, type Wire } from '../fixtures/table-calls.ts';
import { createSqs, type DeployedQueue } from './queues.ts';

type Email = { to: string; subject: string; text: string };

/** The backend for the simulated services. */
export type Backend = {
  judge: Judge;
  tableName: string;
  tableEndpoint: string;
  queues: readonly DeployedQueue[];
  keyArn: string;
  topicArn: string;
  /** Whether the alarm subscription is confirmed, and what happens to messages sent to it. */
  alarms: { isConfirmed: boolean; send: (subject: string) => void };
  bucket: string;
  /** The bucket's objects by key. */
  objects: Map<string, Buffer>;
  cipher: Cipher;
  mail: (email: Email) => void;
  notifyOperators: (subject: string, text: string) => void;
  sms: (to: string, text: string) => void;
  /** Publishes to devices connected by MQTT. */
  publish: Publish;
  /**
   * The bodies of puts and removals whose responses have already been lost once. Undefined if no responses are lost.
   */
  lost?: Set<string>;
};

/** Thrown when a call was executed but its response was lost. */
export class ResponseLost extends Error {}

/** A service error with its AWS name. */
class ServiceError extends Error {
  override name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
type Call = {
  caller: string;
  operation: string;
  method: string;
  url: string;
  body: string;
  bytes: Buffer;
  headers: IncomingMessage['headers'];
};

/** A simulated service. It returns a value to send as JSON, an XML string, or another server's response. */
type Service = (call: Call, backend: Backend) => unknown;

const requirePermission = ({ judge }: Backend, caller: string, requested: IamRequest): void => {
  if (!judge.isAllowed(caller, requested))
    throw new ServiceError('AccessDeniedException', `${caller} is not authorized to perform ${requested.action}`);
};

const agent = new Agent({ keepAlive: true });
/** Forwards a call to the table engine. */
const forward = async (endpoint: string, { headers, body }: Call): Promise<IncomingMessage> => {
  const { host: _, ...rest } = headers;
  const sent = request(endpoint, { agent, method: 'POST', headers: rest }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
};

/** Loses the response to a successful call, unless it was already lost once. */
const lossy = async (lost: Set<string>, body: string, answered: Promise<IncomingMessage>): Promise<IncomingMessage> => {
  const answer = await answered;
  if (answer.statusCode !== 200 || lost.has(body)) return answer;
  lost.add(body);
  answer.resume();
  throw new ResponseLost();
};

const tablesIn = ({ TableName, RequestItems = {}, TransactItems = [] }: Wire): (string | undefined)[] => {
  const inTransaction = TransactItems.flatMap((action) => Object.values(action).map((item) => item.TableName));
  return [...(TableName ? [TableName] : []), ...Object.keys(RequestItems), ...inTransaction];
};

const dynamodb: Service = (call, backend) => {
  const { tableName, tableEndpoint } = backend;
  const wire = JSON.parse(call.body) as Wire;
  const others = tablesIn(wire).filter((name) => name !== tableName);
  const asked = askedOf(accessesIn(call.operation, wire));
  for (const right of asked)
    requirePermission(backend, call.caller, others.length > 0 ? { ...right, resource: `table ${others}` } : right);
  const answered = forward(tableEndpoint, call);
  return backend.lost && /^(Put|Delete)Item$/.test(call.operation)
    ? lossy(backend.lost, call.body, answered)
    : answered;
};

const sqs: Service = ({ caller, operation, body }, backend) => {
  const { queueOf, perform } = createSqs(backend.queues);
  const input = JSON.parse(body) as Request;
  const queue = queueOf(operation, input);
  if (!queue) throw new ServiceError('QueueDoesNotExist', `there is no queue ${input.QueueUrl ?? input.SourceArn}`);
  if (operation === 'StartMessageMoveTask')
    for (const asked of movesOf(queue.name)) requirePermission(backend, caller, asked);
  else
    requirePermission(backend, caller, {
      action: `sqs:${operation.replace('Batch', '')}`,
      resource: `queue/${queue.name}`,
    });
  return perform(operation, queue, input);
};

type Secret = { KeyId: string; Plaintext: string; CiphertextBlob: string; EncryptionContext: { id: string } };
const kms: Service = async ({ caller, operation, body }, backend) => {
  const { KeyId, Plaintext, CiphertextBlob, EncryptionContext } = JSON.parse(body) as Secret;
  if (KeyId !== backend.keyArn) throw new ServiceError('NotFoundException', `there is no key ${KeyId}`);
  requirePermission(backend, caller, { action: `kms:${operation}`, resource: 'key', context: EncryptionContext.id });
  const { encrypt, decrypt } = backend.cipher;
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const text = (made: Uint8Array) => Buffer.from(made).toString('base64');
  return operation === 'Encrypt'
    ? { KeyId, CiphertextBlob: text(await encrypt(bytes(Plaintext), EncryptionContext.id)) }
    : { KeyId, Plaintext: text(await decrypt(bytes(CiphertextBlob), EncryptionContext.id)) };
};

type Mail = {
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: string } };
};
/** A raw message needs the permission for the operation and the one for raw messages. */
export const ses: Service = async ({ caller, body }, backend) => {
  const { FromEmailAddress: from, Destination, Content } = JSON.parse(body) as Mail;
  for (const action of ['ses:SendEmail', 'ses:SendRawEmail'])
    requirePermission(backend, caller, { action, resource: `mail/${from}`, from });
  const { subject = '', text = '' } = await simpleParser(Buffer.from(Content.Raw.Data, 'base64'));
  backend.mail({ to: Destination.ToAddresses.join(), subject, text });
  return { MessageId: 'm' };
};

type Sms = { DestinationPhoneNumber: string; OriginationIdentity: string; MessageBody: string };
/** https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html */
const sms: Service = ({ caller, operation, body }, backend) => {
  const { DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: text } = JSON.parse(body) as Sms;
  requirePermission(backend, caller, { action: `sms-voice:${operation}`, resource: `sms/${from.split('/').at(-1)}` });
  backend.sms(to, text);
  return { MessageId: 'm' };
};

const subscription = (arn: string): string =>
  `<member><SubscriptionArn>${arn}</SubscriptionArn><Protocol>email</Protocol><Endpoint>night@example.org</Endpoint></member>`;
/**
 * The alarm topic. A subscription becomes confirmed after it is first listed.
 * https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html and
 * https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export const sns: Service = ({ caller, body }, backend) => {
  const asked = new URLSearchParams(body);
  const action = asked.get('Action');
  const topic = asked.get('TopicArn');
  requirePermission(backend, caller, {
    action: `sns:${action}`,
    resource: topic === backend.topicArn ? 'alarms' : `topic ${topic}`,
  });
  if (action === 'Publish') {
    const subject = asked.get('Subject') ?? '';
    if (asked.has('MessageStructure')) backend.alarms.send(subject);
    else backend.notifyOperators(subject, asked.get('Message') ?? '');
    return '<PublishResponse><PublishResult><MessageId>m</MessageId></PublishResult></PublishResponse>';
  }
  const listed = subscription(backend.alarms.isConfirmed ? `${topic}:1` : 'PendingConfirmation');
  backend.alarms.isConfirmed = true;
  return `<${action}Response><${action}Result><Subscriptions>${listed}</Subscriptions></${action}Result></${action}Response>`;
};

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html */
const cloudWatch: Service = ({ caller, operation, body }, backend) => {
  requirePermission(backend, caller, { action: `cloudwatch:${operation}`, resource: 'alarm states' });
  const { ActionPrefix, StateValue } = JSON.parse(body) as { ActionPrefix: string; StateValue: string };
  const isFound = ActionPrefix === backend.topicArn && StateValue === 'ALARM';
  return { MetricAlarms: isFound ? [{ AlarmName: 'canary-silent', StateUpdatedTimestamp: 0 }] : [] };
};

/** https://docs.aws.amazon.com/iot/latest/apireference/API_iotdata_Publish.html */
export const iot: Service = async ({ caller, url, body }, backend) => {
  const [, topic = ''] = /^\/topics\/([^?]+)/.exec(url)?.map(decodeURIComponent) ?? [];
  const resource = topic.replace(/^v1\/devices\/[^/]+\//, 'topic/');
  requirePermission(backend, caller, { action: 'iot:Publish', resource });
  await backend.publish(topic, body);
  return {};
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export const s3: Service = ({ caller, method, url, bytes }, backend) => {
  const { pathname } = new URL(url, 'http://s3');
  const [, bucket = '', key = ''] = pathname.split('/');
  const action = { PUT: 's3:PutObject', GET: 's3:GetObject', DELETE: 's3:DeleteObject' }[method];
  if (!action) throw new Error(`${method} of objects is not simulated`);
  requirePermission(backend, caller, {
    action,
    resource: bucket === backend.bucket ? 'exports/*' : `bucket ${bucket}`,
  });
  if (method === 'PUT') backend.objects.set(key, bytes);
  if (method === 'DELETE') backend.objects.delete(key);
  if (method !== 'GET') return '';
  const found = backend.objects.get(key);
  if (!found) throw new ServiceError('NoSuchKey', `there is no ${key}`);
  return found;
};

/** The services identified by a call's target. */
export const services: Readonly<Record<string, Service>> = {
  DynamoDB_20120810: dynamodb,
  GraniteServiceVersion20100801: cloudWatch,
  AmazonSQS: sqs,
  TrentService: kms,
  PinpointSMSVoiceV2: sms,
};
