import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Cipher } from '#shared/auth/vault.ts';
import type { Publish } from '#shared/aws/publish.ts';
import type { Asked } from '../fixtures/iam.ts';
import { askedOf, type Judge, movesOf } from '../fixtures/iam-judge.ts';
import type { Request } from '../fixtures/sqs-server.ts';
import { accessesIn, type Wire } from '../fixtures/table-calls.ts';
import { createSqs, type Made } from './queues.ts';

type Letter = { to: string; subject: string; text: string };
export type Behind = {
  judge: Judge;
  tableName: string;
  tableEndpoint: string;
  queues: readonly Made[];
  keyArn: string;
  topicArn: string;
  bucket: string;
  /** What is in the bucket, by its key. */
  objects: Map<string, Buffer>;
  cipher: Cipher;
  mail: (letter: Letter) => void;
  sms: (to: string, text: string) => void;
  /** Publishes to whoever is connected by MQTT. */
  publish: Publish;
  /** The bodies of puts and removals whose answer was lost once; missing when none is lost. */
  lost?: Set<string>;
};

/** The call was carried out, and its answer does not arrive. */
export class AnswerLost extends Error {}

/** A refusal of a service, by its name there. */
class Refused extends Error {
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
/** What a service answers: a value that becomes JSON, a text of XML, or what another server answered. */
type Service = (call: Call, behind: Behind) => unknown;

const must = ({ judge }: Behind, caller: string, asked: Asked): void => {
  if (!judge.isAllowed(caller, asked))
    throw new Refused('AccessDeniedException', `${caller} is not authorized to perform ${asked.action}`);
};

const agent = new Agent({ keepAlive: true });
/** The same call at the engine of the table. */
const forward = async (endpoint: string, { headers, body }: Call): Promise<IncomingMessage> => {
  const { host: _, ...rest } = headers;
  const sent = request(endpoint, { agent, method: 'POST', headers: rest }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
};

/** Loses the answer to a call that succeeds, unless that happened before. */
const lossy = async (lost: Set<string>, body: string, answered: Promise<IncomingMessage>): Promise<IncomingMessage> => {
  const answer = await answered;
  if (answer.statusCode !== 200 || lost.has(body)) return answer;
  lost.add(body);
  answer.resume();
  throw new AnswerLost();
};

const tablesIn = ({ TableName, RequestItems = {}, TransactItems = [] }: Wire): (string | undefined)[] => {
  const inTransaction = TransactItems.flatMap((action) => Object.values(action).map((item) => item.TableName));
  return [...(TableName ? [TableName] : []), ...Object.keys(RequestItems), ...inTransaction];
};

const dynamodb: Service = (call, behind) => {
  const { tableName, tableEndpoint } = behind;
  const wire = JSON.parse(call.body) as Wire;
  const others = tablesIn(wire).filter((name) => name !== tableName);
  const asked = askedOf(accessesIn(call.operation, wire));
  for (const right of asked)
    must(behind, call.caller, others.length > 0 ? { ...right, resource: `table ${others}` } : right);
  const answered = forward(tableEndpoint, call);
  return behind.lost && /^(Put|Delete)Item$/.test(call.operation) ? lossy(behind.lost, call.body, answered) : answered;
};

const sqs: Service = ({ caller, operation, body }, behind) => {
  const { queueOf, perform } = createSqs(behind.queues);
  const wanted = JSON.parse(body) as Request;
  const made = queueOf(operation, wanted);
  if (!made) throw new Refused('QueueDoesNotExist', `there is no queue ${wanted.QueueUrl ?? wanted.SourceArn}`);
  if (operation === 'StartMessageMoveTask') for (const asked of movesOf(made.name)) must(behind, caller, asked);
  else must(behind, caller, { action: `sqs:${operation.replace('Batch', '')}`, resource: `queue/${made.name}` });
  return perform(operation, made, wanted);
};

type Secret = { KeyId: string; Plaintext: string; CiphertextBlob: string; EncryptionContext: { id: string } };
const kms: Service = async ({ caller, operation, body }, behind) => {
  const { KeyId, Plaintext, CiphertextBlob, EncryptionContext } = JSON.parse(body) as Secret;
  if (KeyId !== behind.keyArn) throw new Refused('NotFoundException', `there is no key ${KeyId}`);
  must(behind, caller, { action: `kms:${operation}`, resource: 'key', context: EncryptionContext.id });
  const { encrypt, decrypt } = behind.cipher;
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const text = (made: Uint8Array) => Buffer.from(made).toString('base64');
  return operation === 'Encrypt'
    ? { KeyId, CiphertextBlob: text(await encrypt(bytes(Plaintext), EncryptionContext.id)) }
    : { KeyId, Plaintext: text(await decrypt(bytes(CiphertextBlob), EncryptionContext.id)) };
};

type Mail = {
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Simple: { Subject: { Data: string }; Body: { Text: { Data: string } } } };
};
export const ses: Service = ({ caller, body }, behind) => {
  const { FromEmailAddress: from, Destination, Content } = JSON.parse(body) as Mail;
  must(behind, caller, { action: 'ses:SendEmail', resource: `mail/${from}` });
  const { Subject, Body } = Content.Simple;
  behind.mail({ to: Destination.ToAddresses.join(), subject: Subject.Data, text: Body.Text.Data });
  return { MessageId: 'm' };
};

type Sms = { DestinationPhoneNumber: string; OriginationIdentity: string; MessageBody: string };
/** https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html */
const sms: Service = ({ caller, operation, body }, behind) => {
  const { DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: text } = JSON.parse(body) as Sms;
  must(behind, caller, { action: `sms-voice:${operation}`, resource: `sms/${from.split('/').at(-1)}` });
  behind.sms(to, text);
  return { MessageId: 'm' };
};

/** A topic right after its deployment: nobody has confirmed anything yet. */
const PENDING =
  '<member><SubscriptionArn>PendingConfirmation</SubscriptionArn><Protocol>email</Protocol><Endpoint>night@example.org</Endpoint></member>';
/** https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html */
export const sns: Service = ({ caller, body }, behind) => {
  const asked = new URLSearchParams(body);
  const action = asked.get('Action');
  const topic = asked.get('TopicArn');
  must(behind, caller, { action: `sns:${action}`, resource: topic === behind.topicArn ? 'alarms' : `topic ${topic}` });
  return `<${action}Response><${action}Result><Subscriptions>${PENDING}</Subscriptions></${action}Result></${action}Response>`;
};

/** https://docs.aws.amazon.com/iot/latest/apireference/API_iotdata_Publish.html */
export const iot: Service = async ({ caller, url, body }, behind) => {
  const [, topic = ''] = /^\/topics\/([^?]+)/.exec(url)?.map(decodeURIComponent) ?? [];
  const resource = topic.replace(/^v1\/devices\/[^/]+\//, 'topic/');
  must(behind, caller, { action: 'iot:Publish', resource });
  await behind.publish(topic, body);
  return {};
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export const s3: Service = ({ caller, method, url, bytes }, behind) => {
  const { pathname } = new URL(url, 'http://s3');
  const [, bucket = '', key = ''] = pathname.split('/');
  const action = { PUT: 's3:PutObject', GET: 's3:GetObject', DELETE: 's3:DeleteObject' }[method];
  if (!action) throw new Error(`there is no ${method} of objects here`);
  must(behind, caller, { action, resource: bucket === behind.bucket ? 'exports/*' : `bucket ${bucket}` });
  if (method === 'PUT') behind.objects.set(key, bytes);
  if (method === 'DELETE') behind.objects.delete(key);
  if (method !== 'GET') return '';
  const found = behind.objects.get(key);
  if (!found) throw new Refused('NoSuchKey', `there is no ${key}`);
  return found;
};

/** The services that are told apart by the target of a call; the others come to addresses of their own, or have no target. */
export const services: Readonly<Record<string, Service>> = {
  DynamoDB_20120810: dynamodb,
  AmazonSQS: sqs,
  TrentService: kms,
  PinpointSMSVoiceV2: sms,
};
