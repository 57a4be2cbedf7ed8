import { type Actor, type AuditObject, actorOfCaller } from '#shared/domain/identity/audit.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { AuditedLine } from '#shared/store/engine/audited-writes.ts';
import type { WrittenChange } from '#shared/store/engine/written-change.ts';
import { addressOf, type TrustedProxy } from '../http/address.ts';
import { type Exchange, operationOf } from '../http/exchange.ts';
import { withFields } from './audit-details.ts';

export type AuditLineDeps = { now: () => number; random: (bytes: number) => Uint8Array; settings: TrustedProxy };

const kindsByParam: Readonly<Record<string, AuditObject['kind']>> = {
  userId: 'user',
  tokenId: 'access_token',
  customerId: 'customer',
  sensorId: 'sensor',
  groupId: 'sensor_group',
  botId: 'bot',
  ruleId: 'rule',
  ruleHitId: 'rule_hit',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  replayId: 'replay',
  feedbackId: 'feedback',
  versionCode: 'firmware',
  keyId: 'provisioning_key',
};

/** Returns the last object named in the path. If a request was rejected early, the path has not been validated. */
const objectOfPath = (exchange: Exchange): AuditObject | null => {
  const { path, params } = exchange;
  const values: Record<string, unknown> = { ...path, ...params };
  const names = [...operationOf(exchange).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const name = names.findLast((param) => kindsByParam[param] !== undefined);
  const kind = name && kindsByParam[name];
  if (!name || !kind) return null;
  const id = String(values[name]);
  if (!/^[\w-]{1,64}$/.test(id)) return null;
  return { kind, id: kind === 'firmware' ? `${values.manufacturer}/${id}` : id };
};

const actorOf = ({ acting, caller, device, provisioner }: Exchange): Actor => {
  if (acting) return acting.actor;
  if (caller) return actorOfCaller(caller);
  if (device) return { kind: 'device', id: device.sensorId, name: null };
  if (provisioner) return { kind: 'key', id: provisioner.id, name: provisioner.name };
  return { kind: 'anonymous', id: null, name: null };
};

/** Whether the caller is known. */
export const hasKnownActor = (exchange: Exchange): boolean => actorOf(exchange).kind !== 'anonymous';

/**
 * Returns the actor key for grouping refusals of the same operation on the same object. After a failed login, the
 * user's identity is unproven, so the key also contains the address.
 */
export const refusedActor = ({ caller }: Exchange, { actor, address }: AuditedLine['line']): string =>
  [actor.kind, actor.id, ...(caller ? [] : [address])].join(' ');

const customerOf = (exchange: Exchange, changed: WrittenChange | null): number => {
  const { operation, customerId, acting, caller, auditedUnder } = exchange;
  if (auditedUnder !== null) return auditedUnder;
  const isSystemWide = changed !== null && operation?.auth === 'user' && operation.may === 'system_admin';
  const own = acting?.customerId ?? (isSystemWide ? UNASSIGNED : (caller?.customerId ?? UNASSIGNED));
  return customerId || (changed?.customerId ?? own);
};

/** Returns the fields set by a request. */
const fieldNames = ({ body, auditedChange }: Exchange): string[] => {
  const fields = Array.isArray(body) ? auditedChange?.after : body;
  return fields instanceof Object ? Object.keys(fields) : [];
};

/**
 * Returns the audit line for the first write, or for the refusal if `changed` is null. A line contains field names, and
 * values that are neither secret nor personal.
 */
export const auditLineOf = (
  exchange: Exchange,
  changed: WrittenChange | null,
  { now, random, settings }: AuditLineDeps,
): AuditedLine => {
  const isRefused = changed === null;
  const customerId = customerOf(exchange, changed);
  const actor = actorOf(exchange);
  const isUser = actor.kind !== 'device' && actor.kind !== 'key' && actor.id !== null;
  const byActor: AuditObject | null = isUser ? { kind: 'user', id: actor.id ?? '' } : null;
  const fields = isRefused ? [] : fieldNames(exchange);
  const line = {
    id: auditIdOf(now(), random(6)),
    actor,
    address: addressOf(exchange.event, settings),
    operation: exchange.name,
    object: objectOfPath(exchange) ?? changed?.object ?? byActor ?? { kind: 'customer', id: String(customerId) },
    requestId: exchange.requestId,
    refused: isRefused,
  };
  const { auditedChange } = exchange;
  const replaced = [...(auditedChange ? [auditedChange] : []), ...(changed?.replaced ?? [])];
  return { customerId, line: withFields(line, fields, replaced) };
};
