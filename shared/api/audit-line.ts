import type { Actor, AuditObject, StoredLine } from '../domain/audit.ts';
import { auditIdOf } from '../domain/audit-id.ts';
import { objectKinds } from '../domain/audit-kinds.ts';
import type { Key } from '../store/key.ts';
import { items } from '../store/table.ts';
import { addressOf, type TrustedProxy } from './address.ts';
import { type APIGatewayProxyEvent, type ApiContext, type Exchange, operationOf, requestIdOf } from './exchange.ts';

export type Noting = { now: () => number; random: (bytes: number) => Uint8Array; settings: TrustedProxy };
type Call = { event: APIGatewayProxyEvent; context: ApiContext };

const isKind = (kind: string): kind is AuditObject['kind'] => (objectKinds as readonly string[]).includes(kind);

const ofPath: Readonly<Record<string, AuditObject['kind']>> = {
  ...{ userId: 'user', tokenId: 'access_token', customerId: 'customer', sensorId: 'sensor', groupId: 'sensor_group' },
  ...{ botId: 'bot', ruleId: 'rule', ruleHitId: 'rule_hit', webhookId: 'webhook', deliveryId: 'delivery' },
  ...{ replayId: 'replay', feedbackId: 'feedback', versionCode: 'firmware', keyId: 'provisioning_key' },
};

/** Gives the object that the path names last. A call that is refused early has a path that nobody checked. */
const objectOfPath = ({ event, context }: Call): AuditObject | null => {
  const { caller, params } = context.exchange;
  const given: Record<string, unknown> = { ...event.pathParameters, ...params };
  const names = [...operationOf({ context }).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const name = names.findLast((one) => ofPath[one] !== undefined);
  const kind = name && ofPath[name];
  if (!name || !kind) return null;
  const id = String(given[name] === 'me' ? caller?.accountId : given[name]);
  if (!/^[\w-]{1,64}$/.test(id)) return null;
  return { kind, id: kind === 'firmware' ? `${given.manufacturer}/${id}` : id };
};

const unpadded = (number = '') => String(Number(number));

/** Gives the object that a key says the customer of, for what the path does not name: what is created or linked. */
const ownedOfKey = (key: Key): AuditObject | null => {
  const owner = items.owner.read(key);
  return owner && isKind(owner.kind) ? { kind: owner.kind, id: owner.id } : null;
};

/** Gives the object of another key. */
const objectOfKey = (key: Key): AuditObject | null => {
  const sensor = items.sensor.read(key);
  if (sensor) return { kind: 'sensor', id: sensor.sensorId };
  const listedKey = items.listedKey.read(key);
  if (listedKey) return { kind: 'provisioning_key', id: listedKey.keyId };
  const firmware = items.firmware.read(key);
  if (firmware) return { kind: 'firmware', id: `${firmware.manufacturer}/${unpadded(firmware.versionCode)}` };
  const hit = items.ruleHit.read(key);
  if (hit) return { kind: 'rule_hit', id: unpadded(hit.hitId) };
  const customer = items.listedCustomer.read(key);
  return customer && { kind: 'customer', id: unpadded(customer.customerId) };
};

const actorOf = ({ acting, caller, device, provisioner }: Exchange): Actor => {
  if (acting) return acting.actor;
  if (caller) {
    const { kind, accountId, name } = caller;
    return { kind: kind === 'token' ? 'token' : 'user', id: String(accountId), name };
  }
  if (device) return { kind: 'device', id: device.sensorId, name: null };
  if (provisioner) return { kind: 'key', id: provisioner.id, name: provisioner.name };
  return { kind: 'anonymous', id: null, name: null };
};

/** Is it known who calls? */
export const isKnown = (exchange: Exchange): boolean => actorOf(exchange).kind !== 'anonymous';

/** The customer of an item; undefined: it is of none. Nobody's sensors are under 0, until somebody's. */
const customerOfKeys = (keys: readonly Key[]): number | undefined => {
  const all = keys.flatMap(({ pk }) => /^C#(\d+)/.exec(pk)?.[1] ?? []).map(Number);
  return all.find((id) => id > 0) ?? all[0];
};

const customerOf = (exchange: Exchange, keys: readonly Key[]): number => {
  const { operation, customerId, acting, caller } = exchange;
  const isOfAll = operation?.auth === 'user' && operation.may === 'system_admin';
  const own = acting?.customerId ?? (isOfAll && keys.length > 0 ? 0 : (caller?.customerId ?? 0));
  return customerId || (customerOfKeys(keys) ?? own);
};

/** Names of fields that together are longer are not noted, so that a line stays below 1 KB. */
const NAMES_LENGTH = 400;
const namesOf = (body: unknown): string[] => {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return [];
  let length = 0;
  return Object.keys(body).filter((name) => {
    length += name.length + 3;
    return length <= NAMES_LENGTH;
  });
};

/**
 * Makes the line of a call. `keys` are those of the first write of a change; of a refusal there are none. A line has names of
 * fields, never values.
 */
export const lineOf = (
  call: Call,
  keys: readonly Key[],
  { now, random, settings }: Noting,
): { customerId: number; line: StoredLine } => {
  const { event, context } = call;
  const { exchange } = context;
  const isRefused = keys.length === 0;
  const customerId = customerOf(exchange, keys);
  const actor = actorOf(exchange);
  const isUser = actor.kind !== 'device' && actor.kind !== 'key' && actor.id !== null;
  const byActor: AuditObject | null = isUser ? { kind: 'user', id: actor.id ?? '' } : null;
  const objects = [objectOfPath(call), ...keys.map(ownedOfKey), ...keys.map(objectOfKey), byActor];
  return {
    customerId,
    line: {
      id: auditIdOf(now(), random(6)),
      actor,
      address: addressOf(event, settings),
      operation: exchange.name,
      object: objects.find((one) => one !== null) ?? { kind: 'customer', id: String(customerId) },
      changes: isRefused ? [] : namesOf(exchange.body),
      requestId: requestIdOf(call),
      refused: isRefused,
    },
  };
};
