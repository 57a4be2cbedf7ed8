import { LEASE_MS, type LeaseName, type SlotLease, type SlotName, tokenName } from '#shared/domain/delivery/breaker.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table } from '../engine/client.ts';
import { type Changes, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
/** The webhook, with the URL that was called. */
type Called = WebhookKey & Pick<WebhookRecord, 'url'>;
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });

/**
 * How a slot is searched for: among `slots`, beginning with `first`. Leases from before `aloneSince` (ms) have no holder
 * any more; 0: other processes may hold them. `token` tells this call from any other.
 */
type SlotSearch = { slots: number; first: number; isProbe: boolean; token: string; aloneSince: number };

/*
 * A call whose answer was lost is made again, and must recognise its own lease. So a lease is two attributes: until when,
 * and the token of the call that took it. Earlier versions write the time alone, told apart by a fraction of a millisecond,
 * and leave a token of this version where it is. So a token counts only together with its time.
 */
const isMine = (name: LeaseName): string => `(#${name} = :until AND #${tokenName(name)} = :token)`;
const isFree = (name: LeaseName): string =>
  `(attribute_not_exists(#${name}) OR #${name} <= :lapsed OR ${isMine(name)})`;
const attributesOf = (names: readonly LeaseName[]): string[] => names.flatMap((name) => [name, tokenName(name)]);

/** The slots that looked free when the webhook was read, in the order of the search. */
const freeSlots = (webhook: WebhookRecord, { slots, first }: SlotSearch, lapsed: number): SlotName[] =>
  Array.from({ length: slots }, (_, at): SlotName => `slot${(first + at) % slots}`).filter(
    (slot) => (webhook[slot] ?? 0) <= lapsed,
  );

type LeaseCall = { until: number; lapsed: number; token: string };
/** The change that takes leases that are free; of a probe, only while the circuit is open as it was read (`openUntil`). */
const leasing = (names: readonly LeaseName[], call: LeaseCall, openUntil: number | undefined): Changes => {
  const { until, token } = call;
  const set = names.map((name) => ({ [name]: until, [tokenName(name)]: token }));
  const free = ['attribute_exists(pk)', ...names.map(isFree)].join(' AND ');
  const condition =
    openUntil === undefined ? where(free, call) : where(`${free} AND #openUntil = :openUntil`, { ...call, openUntil });
  return changes({ set: Object.assign({}, ...set), if: condition });
};

/** The slots and the probe of a webhook, over all processes. */
const slotWrites = (table: Table) => ({
  /**
   * Leases one of the slots that looked free when the webhook was read, or returns null. As a probe (`isProbe`) only while
   * the circuit is open as it was read, and nobody else probes it.
   */
  takeSlot: async (webhook: WebhookRecord, now: number, search: SlotSearch): Promise<SlotLease | null> => {
    const { isProbe, token, aloneSince } = search;
    const call = { until: now + LEASE_MS, lapsed: Math.max(now, aloneSince + LEASE_MS), token };
    const free = freeSlots(webhook, search, call.lapsed);
    for (const slot of isProbe ? free.slice(0, 1) : free) {
      const change = isProbe
        ? leasing([slot, 'probeUntil'], call, webhook.openUntil)
        : leasing([slot], call, undefined);
      if (await table.update(webhookKey(webhook), change)) return { slot, until: call.until, token };
    }
    return null;
  },

  /** Renews the lease of a slot. Null when it has ended, so that another process may have the slot. */
  keepSlot: async (webhook: WebhookKey, { slot, until, token }: SlotLease, now: number): Promise<SlotLease | null> => {
    const renewed = { slot, until: now + LEASE_MS, token };
    const mine = where(`#${tokenName(slot)} = :token AND #${slot} IN (:before, :after)`, {
      token,
      before: until,
      after: renewed.until,
    });
    const update = changes({ set: { [slot]: renewed.until }, if: mine });
    return (await table.update(webhookKey(webhook), update)) && renewed;
  },

  /** Gives up leases of slots and of the probe. */
  release: async (webhook: WebhookKey, names: readonly LeaseName[]): Promise<void> => {
    await table.update(webhookKey(webhook), changes({ remove: attributesOf(names), if: present }));
  },
});

/** The condition that the webhook still has the URL that was called. */
const sameUrl = ({ url }: Called) => where('#url = :called', { called: url });

/**
 * Records the health of the receiver that was called, and gives up leases (`leases`). When the webhook has another URL
 * now, its health stays as it is, but the slots are given up all the same.
 */
const receiverWrites = (table: Table) => {
  const { release } = slotWrites(table);
  const record = async (webhook: Called, update: Changes, leases: readonly LeaseName[]) => {
    const after = await table.update(webhookKey(webhook), update);
    const slots = leases.filter((name) => name !== 'probeUntil');
    if (after === null && slots.length > 0) await release(webhook, slots);
    return after;
  };
  return {
    /**
     * Counts a failure; `isGone`: the answer was 410; `isLost`: an event will not reach this webhook any more. Returns the
     * changed webhook; null when it was deleted or has another URL.
     */
    failed: async (
      webhook: Called & Pick<WebhookRecord, 'goneSince'>,
      now: number,
      { openUntil, isGone, isLost }: { openUntil: number | null; isGone: boolean; isLost: boolean },
      leases: readonly LeaseName[],
    ) => {
      const set = {
        lastFailure: now,
        ...(openUntil !== null && { openUntil }),
        ...(isLost && { troubleDate: now }),
      };
      const since = (name: string) => ({ [name]: `if_not_exists(#${name}, :lastFailure)` });
      const compute = { ...since('failingSince'), ...(isGone && since('goneSince')) };
      const remove = [...attributesOf(leases), ...(isGone || webhook.goneSince === undefined ? [] : ['goneSince'])];
      const add = { consecutiveFailures: 1, ...(isLost && { failedDeliveries: 1 }) };
      const list = { set, compute, add, remove, if: sameUrl(webhook) };
      return (await record(webhook, changes(list, 'ALL_NEW'), leases)) as WebhookRecord | null;
    },

    /** Records a success, which resets the failures and closes the circuit. `slowUntil`: the answer was slow. */
    worked: async (
      webhook: Called,
      now: number,
      slowUntil: number | null,
      leases: readonly LeaseName[],
    ): Promise<void> => {
      const set = { consecutiveFailures: 0, lastSuccess: now, ...(slowUntil !== null && { slowUntil }) };
      const ended = new Set<LeaseName>(['probeUntil', ...leases]);
      const remove = ['failingSince', 'goneSince', 'openUntil', ...attributesOf([...ended])];
      await record(webhook, changes({ set, remove, if: sameUrl(webhook) }), leases);
    },

    /**
     * Disables a webhook for a reason, and stores the notice of it, if there is one; its owner enables it again. False when
     * it is disabled already, or has another URL.
     */
    disable: async (webhook: Called, now: number, disabledReason: string, notice: Write | null): Promise<boolean> => {
      const enabled = where('#isEnabled = :yes AND #url = :called', { yes: true, called: webhook.url });
      const set = { isEnabled: false, disabledReason, troubleDate: now };
      const off = changes({ set, remove: ['goneSince'], if: enabled });
      return (await table.write({ update: webhookKey(webhook), changes: off }, ...(notice ? [notice] : []))) === null;
    },
  };
};

/** What attempts write to their webhook: the health of its receiver, and leases of slots and probe. */
const healthWrites = (table: Table) => ({
  ...slotWrites(table),
  ...receiverWrites(table),

  /** Clears the failures that somebody has seen, unless there were more since: then their date has changed. */
  seen: async (webhook: WebhookKey, troubleDate: number): Promise<void> => {
    const isThis = where('#troubleDate = :date', { date: troubleDate });
    await table.update(webhookKey(webhook), changes({ remove: ['troubleDate', 'failedDeliveries'], if: isThis }));
  },

  /** Records a warning; false when there was one before. */
  warn: async (webhook: WebhookKey & { failingSince?: number }, now: number): Promise<boolean> => {
    const since = webhook.failingSince ?? now;
    const first = where('attribute_exists(pk) AND (attribute_not_exists(#warnedAt) OR #warnedAt < :since)', { since });
    return (await table.update(webhookKey(webhook), changes({ set: { warnedAt: now }, if: first }))) !== null;
  },
});

export const health = (table: Table) => healthWrites(table);
