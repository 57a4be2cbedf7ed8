import {
  LEASE_MS,
  type LeaseName,
  lapsedBefore,
  type SlotLease,
  type SlotName,
  tokenName,
} from '#shared/domain/delivery/breaker.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isFuture, latestAhead } from '#shared/domain/state/clock.ts';
import type { Table } from '../engine/client.ts';
import { type Changes, type Condition, changes, type Item, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
/** A webhook, with the URL used for the request. */
type CalledWebhook = WebhookKey & Pick<WebhookRecord, 'url'>;
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });

/**
 * Which slots to try: `slots` of them, starting with `first`. Leases from before `aloneSince` (ms) no longer have a
 * holder; if it is 0, other processes may hold them. `token` identifies the request.
 */
type SlotSearch = { slots: number; first: number; isProbe: boolean; token: string; aloneSince: number };

/*
 * A request whose response is lost is retried, and has to recognize its own lease. A lease therefore has two
 * attributes: the end time, and the token of the request that took it. Earlier code versions write only the time, made
 * unique by a fraction of a millisecond, and leave an old token in place. So a token only counts together with the
 * time.
 */
const isMine = (name: LeaseName): string => `(#${name} = :until AND #${tokenName(name)} = :token)`;
const isFree = (name: LeaseName): string =>
  `(attribute_not_exists(#${name}) OR #${name} <= :lapsed OR #${name} > :latest OR ${isMine(name)})`;
const attributesOf = (names: readonly LeaseName[]): string[] => names.flatMap((name) => [name, tokenName(name)]);

/**
 * A request that takes leases until the given time (ms). Leases that end by `lapsed` are over. So are leases that end
 * after `latest`, because they were taken before the clock was set back.
 */
type LeaseCall = { until: number; lapsed: number; latest: number; token: string };

/** Returns the slots that were free when the webhook was read, in search order. */
const freeSlots = (
  webhook: WebhookRecord,
  { slots, first }: SlotSearch,
  { lapsed, latest }: Pick<LeaseCall, 'lapsed' | 'latest'>,
): SlotName[] =>
  Array.from({ length: slots }, (_, at): SlotName => `slot${(first + at) % slots}`).filter((slot) => {
    const until = webhook[slot] ?? 0;
    return until <= lapsed || until > latest;
  });

/**
 * Returns the change that takes free leases. For a probe, it applies only if the circuit is open and `openUntil` has
 * not changed since the webhook was read.
 */
const leaseChanges = (names: readonly LeaseName[], call: LeaseCall, openUntil: number | undefined): Changes => {
  const { until, token } = call;
  const set = names.map((name) => ({ [name]: until, [tokenName(name)]: token }));
  const free = ['attribute_exists(pk)', ...names.map(isFree)].join(' AND ');
  const condition =
    openUntil === undefined ? where(free, call) : where(`${free} AND #openUntil = :openUntil`, { ...call, openUntil });
  return changes({ set: Object.assign({}, ...set), if: condition });
};

/** The slots and the probe for a webhook, shared by all processes. */
const slotWrites = (table: Table) => ({
  /**
   * Leases one of the slots that were free when the webhook was read, or returns null. A probe (`isProbe`) gets a lease
   * only if the circuit is open, `openUntil` is unchanged, and no other probe is running.
   */
  takeSlot: async (webhook: WebhookRecord, now: number, search: SlotSearch): Promise<SlotLease | null> => {
    const { isProbe, token, aloneSince } = search;
    const times = { lapsed: lapsedBefore(now, aloneSince), latest: latestAhead(now, LEASE_MS) };
    const call = { until: now + LEASE_MS, ...times, token };
    const free = freeSlots(webhook, search, call);
    for (const slot of isProbe ? free.slice(0, 1) : free) {
      const change = isProbe
        ? leaseChanges([slot, 'probeUntil'], call, webhook.openUntil)
        : leaseChanges([slot], call, undefined);
      if (await table.update(webhookKey(webhook), change)) return { slot, until: call.until, token };
    }
    return null;
  },

  /** Renews a slot lease. Returns null if it has ended, because another process may then have the slot. */
  renewSlot: async (webhook: WebhookKey, { slot, until, token }: SlotLease, now: number): Promise<SlotLease | null> => {
    const renewed = { slot, until: now + LEASE_MS, token };
    const mine = where(`#${tokenName(slot)} = :token AND #${slot} IN (:before, :after)`, {
      token,
      before: until,
      after: renewed.until,
    });
    const update = changes({ set: { [slot]: renewed.until }, if: mine });
    return (await table.update(webhookKey(webhook), update)) && renewed;
  },

  /** Releases slot and probe leases. */
  release: async (webhook: WebhookKey, names: readonly LeaseName[]): Promise<void> => {
    await table.update(webhookKey(webhook), changes({ remove: attributesOf(names), if: present }));
  },
});

/** Requires the webhook to still have the URL used for the request. */
const sameUrl = ({ url }: CalledWebhook) => where('#url = :called', { called: url });

/**
 * A failed delivery created at `since` (ms), in an attempt that began at `begun` (ms). If `begun` is null, the failure
 * counts no matter when the attempt began.
 */
type Failure = { openUntil: number | null; isGone: boolean; isLost: boolean; since: number; begun: number | null };

/**
 * Returns the condition for counting a failure: the webhook has the same URL, and the receiver has not recovered since
 * the attempt began. A date in the future dates from before the clock was set back.
 */
const stillFailing = ({ url }: CalledWebhook, since: number, begun: number | null, now: number): Condition =>
  begun === null
    ? where('#url = :called', { called: url, since })
    : where('#url = :called AND (attribute_not_exists(#backDate) OR #backDate < :begun OR #backDate > :latest)', {
        called: url,
        since,
        begun,
        latest: latestAhead(now, 0),
      });

/** A success. `slowUntil` is set if the response was slow. */
type Success = { now: number; slowUntil: number | null; leases: readonly LeaseName[] };

/** Returns the conditional changes after a success, together with `set` and `remove`. */
const successChanges = (
  { now, slowUntil, leases }: Success,
  list: { set?: Item; remove?: readonly string[]; if: Condition },
): Changes => {
  const set = { consecutiveFailures: 0, lastSuccess: now, ...(slowUntil !== null && { slowUntil }), ...list.set };
  const ended = new Set<LeaseName>(['probeUntil', ...leases]);
  const remove = ['failingSince', 'goneSince', 'openUntil', ...attributesOf([...ended]), ...(list.remove ?? [])];
  return changes({ set, remove, if: list.if });
};

/**
 * Records the receiver health, and releases `leases`. If the webhook now has another URL, the health stays unchanged,
 * but the slots are still released.
 */
const receiverWrites = (table: Table) => {
  const { release } = slotWrites(table);
  const record = async (webhook: CalledWebhook, update: Changes, leases: readonly LeaseName[]) => {
    const after = await table.update(webhookKey(webhook), update);
    const slots = leases.filter((name) => name !== 'probeUntil');
    if (after === null && slots.length > 0) await release(webhook, slots);
    return after;
  };
  return {
    /**
     * Counts a failed delivery created at `since` (ms). `isGone`: the receiver responded with 410. `isLost`: an event
     * will never reach this webhook. Returns the changed webhook, or null if it was deleted or has another URL. Also
     * returns null if the receiver has recovered since the attempt began (`begun`, ms), because the failure then says
     * nothing about the current health.
     */
    failed: async (
      webhook: CalledWebhook,
      now: number,
      { openUntil, isGone, isLost, since, begun }: Failure,
      leases: readonly LeaseName[],
    ) => {
      const set = {
        lastFailure: now,
        ...(openUntil !== null && { openUntil }),
        ...(isLost && { troubleDate: now }),
      };
      const sinceNow = (name: string) => ({ [name]: `if_not_exists(#${name}, :lastFailure)` });
      const compute = {
        ...sinceNow('failingSince'),
        ...(isGone && sinceNow('goneSince')),
        pendingSince: 'if_not_exists(#pendingSince, :since)',
      };
      // Removed even if the webhook as read has none: a concurrent attempt may have added it since.
      const remove = [...attributesOf(leases), ...(isGone ? [] : ['goneSince'])];
      const add = { consecutiveFailures: 1, ...(isLost && { failedDeliveries: 1 }) };
      const list = { set, compute, add, remove, if: stillFailing(webhook, since, begun, now) };
      return (await record(webhook, changes(list, 'ALL_NEW'), leases)) as WebhookRecord | null;
    },

    /**
     * Records a success, which resets the failures and closes the circuit. `slowUntil` is set if the response was slow.
     */
    recordSuccess: async (
      webhook: CalledWebhook,
      now: number,
      slowUntil: number | null,
      leases: readonly LeaseName[],
    ): Promise<void> => {
      const update = successChanges({ now, slowUntil, leases }, { if: sameUrl(webhook) });
      await record(webhook, update, leases);
    },

    /**
     * Records the first success after failures, which releases pending deliveries. `ownFailures`: the number of
     * failures since the last success, if the successful delivery caused all of them and nothing is pending anymore.
     * Returns false if there were other failures, another success came first, or the webhook has another URL.
     */
    recordBack: async (
      webhook: CalledWebhook & Pick<WebhookRecord, 'lastFailure'>,
      success: Success,
      ownFailures: number | null,
    ): Promise<boolean> => {
      const { url: called, lastFailure = 0 } = webhook;
      const { now } = success;
      if (ownFailures !== null) {
        const areAll = where('#url = :called AND #consecutiveFailures = :own', { called, own: ownFailures });
        const update = successChanges(success, { remove: ['pendingSince'], if: areAll });
        return (await table.update(webhookKey(webhook), update)) !== null;
      }
      const isFirst = where(
        '#url = :called AND attribute_exists(#pendingSince) AND (attribute_not_exists(#backDate) OR #backDate <= #lastFailure OR #backDate > :latest)',
        { called, latest: latestAhead(now, 0) },
      );
      // A failure in the future, from before the clock was set back, would seem to follow this success.
      const set = { backDate: now, ...(isFuture(lastFailure, now) && { lastFailure: now - 1 }) };
      const update = successChanges(success, { set, if: isFirst });
      return (await record(webhook, update, success.leases)) !== null;
    },

    /**
     * Disables a webhook for the given reason and stores the notice, if there is one. The owner can enable it again.
     * Returns false if it is already disabled or has another URL.
     */
    disable: async (
      webhook: CalledWebhook,
      now: number,
      disabledReason: string,
      notice: Write | null,
    ): Promise<boolean> => {
      const enabled = where('#isEnabled = :yes AND #url = :called', { yes: true, called: webhook.url });
      const set = { isEnabled: false, disabledReason, troubleDate: now };
      const off = changes({ set, remove: ['goneSince'], if: enabled });
      return (await table.write({ update: webhookKey(webhook), changes: off }, ...(notice ? [notice] : []))) === null;
    },
  };
};

/** The writes from attempts to the webhook: receiver health, and slot and probe leases. */
const healthWrites = (table: Table) => ({
  ...slotWrites(table),
  ...receiverWrites(table),

  /**
   * Records that a pending delivery was created at `time` (ms), if that is earlier than for all other pending
   * deliveries.
   */
  notePending: async (webhook: WebhookKey, time: number): Promise<void> => {
    const isEarlier = where('#pendingSince > :time', { time });
    await table.update(webhookKey(webhook), changes({ set: { pendingSince: time }, if: isEarlier }));
  },

  /** Ends the release that began at `backDate` (ms), unless an attempt has failed since. */
  endRelease: async (webhook: WebhookKey, backDate: number): Promise<void> => {
    const isOver = where('#backDate = :date AND #lastFailure < :date', { date: backDate });
    await table.update(webhookKey(webhook), changes({ remove: ['pendingSince'], if: isOver }));
  },

  /** Clears the failures a user has seen, unless more failures have followed, which would have changed the date. */
  clearFailures: async (webhook: WebhookKey, troubleDate: number): Promise<void> => {
    const unchanged = where('#troubleDate = :date', { date: troubleDate });
    await table.update(webhookKey(webhook), changes({ remove: ['troubleDate', 'failedDeliveries'], if: unchanged }));
  },

  /** Records a warning. Returns false if there has already been one since the failures began. */
  recordWarning: async (webhook: WebhookKey & { failingSince?: number }, now: number): Promise<boolean> => {
    const since = webhook.failingSince ?? now;
    const first = where('attribute_exists(pk) AND (attribute_not_exists(#warnedAt) OR #warnedAt < :since)', { since });
    return (await table.update(webhookKey(webhook), changes({ set: { warnedAt: now }, if: first }))) !== null;
  },
});

export const health = (table: Table) => healthWrites(table);
