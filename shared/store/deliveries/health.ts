import { type Held, type Hold, LEASE_MS, type Slot } from '#shared/domain/delivery/breaker.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table } from '../engine/client.ts';
import { type Changes, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
/** The webhook, with the URL that was called. */
type Called = WebhookKey & Pick<WebhookRecord, 'url'>;
const keyOf = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });

/** How a slot is looked for. What was held before `aloneSince` (ms) is held by nobody; 0: other processes may hold it. */
type Search = { most: number; first: number; probes: boolean; claimToken: number; aloneSince: number };

/** The slots and the probe of a webhook, over all processes. */
const slotWrites = (table: Table) => ({
  /**
   * Takes one of `most` slots that looked free when the webhook was read, beginning with `first`; null: none is. As its
   * probe (`probes`) only while its circuit is open as it was read, and nobody else probes it. `claimToken`, in [0, 1), tells
   * this call from any other: it is recognised when it is made again because its answer was lost.
   */
  takeSlot: async (
    webhook: WebhookRecord,
    now: number,
    { most, first, probes, claimToken, aloneSince }: Search,
  ): Promise<Held | null> => {
    const until = now + LEASE_MS + claimToken;
    const lapsed = Math.max(now, aloneSince + LEASE_MS);
    const isFree = (name: Hold) => `(attribute_not_exists(#${name}) OR #${name} <= :lapsed OR #${name} = :mine)`;
    for (let at = 0; at < most; at++) {
      const slot: Slot = `slot${(first + at) % most}`;
      if ((webhook[slot] ?? 0) > lapsed) continue;
      const texts = [
        'attribute_exists(pk)',
        isFree(slot),
        ...(probes ? [isFree('probeUntil'), '#openUntil = :seen'] : []),
      ];
      const free = where(texts.join(' AND '), { lapsed, mine: until, ...(probes && { seen: webhook.openUntil }) });
      const set = { [slot]: until, ...(probes && { probeUntil: until }) };
      if (await table.update(keyOf(webhook), changes({ set, if: free }))) return { slot, until };
      if (probes) return null;
    }
    return null;
  },

  /** Keeps a slot for longer. Null when its lease has ended, so that another process may have it. */
  keepSlot: async (
    webhook: WebhookKey,
    { slot, until }: Held,
    now: number,
    claimToken: number,
  ): Promise<Held | null> => {
    const kept = { slot, until: now + LEASE_MS + claimToken };
    const mine = where(`#${slot} IN (:before, :after)`, { before: until, after: kept.until });
    const update = changes({ set: { [slot]: kept.until }, if: mine });
    return (await table.update(keyOf(webhook), update)) && kept;
  },

  /** Gives back slots and probe of a webhook. */
  release: async (webhook: WebhookKey, holds: readonly Hold[]): Promise<void> => {
    await table.update(keyOf(webhook), changes({ remove: holds, if: present }));
  },
});

/** The condition that the webhook still has the URL that was called. */
const sameUrl = ({ url }: Called) => where('#url = :called', { called: url });

/**
 * Records the health of the receiver that was called. When the webhook has another URL by now, its health is not changed,
 * but slots and probe are given back all the same.
 */
const receiverWrites = (table: Table) => {
  const slots = slotWrites(table);
  const note = async (webhook: Called, update: Changes, holds: readonly Hold[]) => {
    const after = await table.update(keyOf(webhook), update);
    const left = holds.filter((hold) => hold !== 'probeUntil');
    if (after === null && left.length > 0) await slots.release(webhook, left);
    return after;
  };
  return {
    /**
     * Counts a failure; `isGone`: the answer was 410; `isLost`: an event is told to this webhook no more. Returns the changed webhook; null when it is gone or has another URL.
     */
    failed: async (
      webhook: Called & Pick<WebhookRecord, 'goneSince'>,
      now: number,
      { openUntil, isGone, isLost }: { openUntil: number | null; isGone: boolean; isLost: boolean },
      holds: readonly Hold[],
    ) => {
      const set = {
        lastFailure: now,
        ...(openUntil !== null && { openUntil }),
        ...(isLost && { troubleDate: now }),
      };
      const since = (name: string) => ({ [name]: `if_not_exists(#${name}, :lastFailure)` });
      const compute = { ...since('failingSince'), ...(isGone && since('goneSince')) };
      const remove = [...holds, ...(isGone || webhook.goneSince === undefined ? [] : ['goneSince'])];
      const add = { consecutiveFailures: 1, ...(isLost && { failedDeliveries: 1 }) };
      const list = { set, compute, add, remove, if: sameUrl(webhook) };
      return (await note(webhook, changes(list, 'ALL_NEW'), holds)) as WebhookRecord | null;
    },

    /** Records a success, which ends the row of failures. `slowUntil`: the answer was slow. */
    worked: async (webhook: Called, now: number, slowUntil: number | null, holds: readonly Hold[]): Promise<void> => {
      const set = { consecutiveFailures: 0, lastSuccess: now, ...(slowUntil !== null && { slowUntil }) };
      const remove = [...new Set(['failingSince', 'goneSince', 'openUntil', 'probeUntil', ...holds])];
      await note(webhook, changes({ set, remove, if: sameUrl(webhook) }), holds);
    },

    /**
     * Switches a webhook off for a reason, and stores the notice of it, if there is one; its owner switches it on again.
     * False when it is off already, or has another URL.
     */
    disable: async (webhook: Called, now: number, disabledReason: string, notice: Write | null): Promise<boolean> => {
      const enabled = where('#isEnabled = :yes AND #url = :called', { yes: true, called: webhook.url });
      const set = { isEnabled: false, disabledReason, troubleDate: now };
      const off = changes({ set, remove: ['goneSince'], if: enabled });
      return (await table.write({ update: keyOf(webhook), changes: off }, ...(notice ? [notice] : []))) === null;
    },
  };
};

/** What attempts write to their webhook: the health of its receiver, slots and probe. */
const healthWrites = (table: Table) => ({
  ...slotWrites(table),
  ...receiverWrites(table),

  /** Forgets the trouble that somebody has seen, unless there was more since: its date is another one then. */
  seen: async (webhook: WebhookKey, troubleDate: number): Promise<void> => {
    const isThis = where('#troubleDate = :date', { date: troubleDate });
    await table.update(keyOf(webhook), changes({ remove: ['troubleDate', 'failedDeliveries'], if: isThis }));
  },

  /** Notes a warning; false when it was given before. */
  warn: async (webhook: WebhookKey & { failingSince?: number }, now: number): Promise<boolean> => {
    const since = webhook.failingSince ?? now;
    const first = where('attribute_exists(pk) AND (attribute_not_exists(#warnedAt) OR #warnedAt < :since)', { since });
    return (await table.update(keyOf(webhook), changes({ set: { warnedAt: now }, if: first }))) !== null;
  },
});

export const health = (table: Table) => healthWrites(table);
