import type { Actor, AuditObject } from '#shared/domain/identity/audit.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Changed } from '#shared/store/engine/changed.ts';
import type { Line } from '#shared/store/engine/noted.ts';
import { addressOf, type TrustedProxy } from '../http/address.ts';
import { type Exchange, operationOf } from '../http/exchange.ts';

export type Noting = { now: () => number; random: (bytes: number) => Uint8Array; settings: TrustedProxy };

const ofPath: Readonly<Record<string, AuditObject['kind']>> = {
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

/** Gives the object that the path names last. A call that is refused early has a path that nobody checked. */
const objectOfPath = (exchange: Exchange): AuditObject | null => {
  const { path, params } = exchange;
  const given: Record<string, unknown> = { ...path, ...params };
  const names = [...operationOf(exchange).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const name = names.findLast((param) => ofPath[param] !== undefined);
  const kind = name && ofPath[name];
  if (!name || !kind) return null;
  const id = String(given[name]);
  if (!/^[\w-]{1,64}$/.test(id)) return null;
  return { kind, id: kind === 'firmware' ? `${given.manufacturer}/${id}` : id };
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

const customerOf = (exchange: Exchange, changed: Changed | null): number => {
  const { operation, customerId, acting, caller } = exchange;
  const isOfAll = changed !== null && operation?.auth === 'user' && operation.may === 'system_admin';
  const own = acting?.customerId ?? (isOfAll ? UNASSIGNED : (caller?.customerId ?? UNASSIGNED));
  return customerId || (changed?.customerId ?? own);
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
 * Makes the line of a call: of what its first write changes, or (null) of its refusal. A line has names of fields, never
 * values.
 */
export const lineOf = (exchange: Exchange, changed: Changed | null, { now, random, settings }: Noting): Line => {
  const isRefused = changed === null;
  const customerId = customerOf(exchange, changed);
  const actor = actorOf(exchange);
  const isUser = actor.kind !== 'device' && actor.kind !== 'key' && actor.id !== null;
  const byActor: AuditObject | null = isUser ? { kind: 'user', id: actor.id ?? '' } : null;
  return {
    customerId,
    line: {
      id: auditIdOf(now(), random(6)),
      actor,
      address: addressOf(exchange.event, settings),
      operation: exchange.name,
      object: objectOfPath(exchange) ?? changed?.object ?? byActor ?? { kind: 'customer', id: String(customerId) },
      changes: isRefused ? [] : namesOf(exchange.body),
      requestId: exchange.requestId,
      refused: isRefused,
    },
  };
};
