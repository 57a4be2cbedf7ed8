import { AT_A_TIME, PROBE_MS } from '../domain/breaker.ts';
import type { WebhookRecord } from '../domain/webhook.ts';
import type { Table } from './client.ts';
import { changes, present, where } from './request.ts';
import { items } from './table.ts';

type Place = Pick<WebhookRecord, 'customerId' | 'id'>;
const keyOf = ({ customerId, id: webhookId }: Place) => items.webhook({ customerId, webhookId });

/** A place among the requests that a webhook in trouble may have under way, over all processes. */
export type Slot = `slot${number}`;
const slots = Array.from({ length: AT_A_TIME }, (_, at): Slot => `slot${at}`);

/** What attempts leave in their webhook: how it is doing, and who is at it. */
export const healthWrites = (table: Table) => ({
  /** The one probe of a receiver that rests; false when somebody else probes it. */
  probe: async (webhook: WebhookRecord, now: number): Promise<boolean> => {
    const mine = where('#openUntil <= :now AND (attribute_not_exists(#probeUntil) OR #probeUntil <= :now)', { now });
    return (await table.update(keyOf(webhook), changes({ set: { probeUntil: now + PROBE_MS }, if: mine }))) !== null;
  },

  /** Takes a free slot of a webhook in trouble; null: none is free. */
  takeSlot: async (webhook: WebhookRecord, now: number): Promise<Slot | null> => {
    for (const slot of slots) {
      if ((webhook[slot] ?? 0) > now) continue;
      const free = where(`attribute_exists(pk) AND (attribute_not_exists(#${slot}) OR #${slot} <= :now)`, { now });
      const update = changes({ set: { [slot]: now + PROBE_MS }, if: free });
      if (await table.update(keyOf(webhook), update)) return slot;
    }
    return null;
  },

  /** One more failure, whoever else counts at the same time; gives the webhook as it is then, null when it is gone. */
  failed: async (webhook: Place, now: number, openUntil: number | null, slot: Slot | null) => {
    const set = { lastFailure: now, ...(openUntil !== null && { openUntil }) };
    const compute = { failingSince: 'if_not_exists(#failingSince, :lastFailure)' };
    const remove = ['probeUntil', ...(slot ? [slot] : [])];
    const update = changes({ set, compute, add: { consecutiveFailures: 1 }, remove, if: present }, 'ALL_NEW');
    return (await table.update(keyOf(webhook), update)) as WebhookRecord | null;
  },

  /** The failures have an end. `slowUntil`: it worked, but slowly. */
  worked: async (webhook: Place, now: number, slowUntil: number | null, slot: Slot | null): Promise<void> => {
    const set = { consecutiveFailures: 0, lastSuccess: now, ...(slowUntil !== null && { slowUntil }) };
    const remove = ['failingSince', 'openUntil', 'probeUntil', ...(slot ? [slot] : [])];
    await table.update(keyOf(webhook), changes({ set, remove, if: present }));
  },

  /** Gives a slot back that no request was made in. */
  freeSlot: async (webhook: Place, slot: Slot): Promise<void> => {
    await table.update(keyOf(webhook), changes({ remove: [slot], if: present }));
  },

  /** Notes a warning; false when it was given before. */
  warn: async (webhook: Place & { failingSince?: number }, now: number): Promise<boolean> => {
    const since = webhook.failingSince ?? now;
    const first = where('attribute_exists(pk) AND (attribute_not_exists(#warnedAt) OR #warnedAt < :since)', { since });
    return (await table.update(keyOf(webhook), changes({ set: { warnedAt: now }, if: first }))) !== null;
  },

  /** Switches a webhook off for a reason; its owner switches it on again. */
  disable: async (webhook: Place, disabledReason: string): Promise<void> => {
    const enabled = where('#isEnabled = :yes', { yes: true });
    await table.update(keyOf(webhook), changes({ set: { isEnabled: false, disabledReason }, if: enabled }));
  },
});
