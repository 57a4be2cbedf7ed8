import { isUnnamedLoopback } from '../delivery/loopback-target.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { reachingChannels } from '../domain/people/duty.ts';
import { nameOfUser } from '../domain/rule/acknowledgement.ts';
import { allRecipients, includesOnDuty, usersIn } from '../domain/rule/recipients.ts';
import type { Rule } from '../domain/rule/rule.ts';
import { isFuture } from '../domain/state/clock.ts';
import {
  computeWatch,
  isOfFalls,
  isOfSilence,
  type WatchedSensor,
  type WatchInput,
} from '../domain/watch/compute-watch.ts';
import type { UnnotifiedGap } from '../domain/watch/gap.ts';
import { openedGaps } from '../domain/watch/opened-gaps.ts';
import { isUpToDate, UP_TO_DATE_MS } from '../domain/watch/watch.ts';
import type { Deps } from '../runtime/deps.ts';
import type { ReadWatch, StoredWatch } from '../store/people/watches.ts';
import { onDutyViews, type PersonOnDuty, readPeopleOnDuty } from './on-duty.ts';
import type { watchUses } from './operation.ts';

type WatchDeps = Deps<(typeof watchUses)[number]>;

/** How many times, and at what interval (ms), a request checks for the watch computed by another request. */
const MAX_TRIES = 4;
const POLL_MS = 250;

/** Returns alarms that reached no one and have not been acknowledged. */
const unnotifiedGaps = async ({ store }: WatchDeps, customerId: number): Promise<UnnotifiedGap[]> =>
  (await store.unnotified.list(customerId, false))
    .filter(({ isUnanswered }) => !isUnanswered)
    .map(({ sensorId, situation, hitId, createDate }) => ({
      kind: 'unnotified',
      sensorId,
      situation,
      hitId,
      createDate,
    }));

/**
 * Returns a user's name, and the channels through which the user can be reached. Users who may not log in have no
 * channels. Null if the user does not exist.
 */
const readUser = async ({ store }: WatchDeps, customerId: number, userId: number) => {
  const user = await store.recipients.person(customerId, userId);
  if (!user) return null;
  const channels = user.canLogin ? await store.channels.list({ customerId: user.customerId, userId }) : [];
  return { userId, name: nameOfUser(user), channels: reachingChannels(channels) };
};

type Recipients = { rules: readonly Rule[]; webhooks: readonly WebhookRecord[]; onDuty: readonly PersonOnDuty[] };

/**
 * Returns the recipients that rules for falls and offline sensors can reach, and the names of the users in these rules.
 * Reads no other users.
 */
const readRecipients = async (
  deps: WatchDeps,
  customerId: number,
  { rules, webhooks, onDuty: everyoneOnDuty }: Recipients,
): Promise<Pick<WatchInput, 'reach' | 'users'>> => {
  const { settings } = deps;
  const ofSilence = rules.filter(isOfSilence).flatMap((rule) => rule.recipients);
  const recipients = [...rules.filter(isOfFalls).flatMap(allRecipients), ...ofSilence];
  const people = includesOnDuty(recipients) ? everyoneOnDuty : [];
  const onDuty = people.map(({ userId }) => userId);
  const userIds = usersIn(recipients).filter((userId) => !onDuty.includes(userId));
  const named = await Promise.all(userIds.map((userId) => readUser(deps, customerId, userId)));
  const users = [
    ...named.filter((user) => user !== null),
    ...people.map(({ userId, user, channels }) => {
      return { userId, name: nameOfUser(user), channels: reachingChannels(channels) };
    }),
  ];
  return {
    reach: {
      webhooks: new Map(webhooks.map((webhook) => [webhook.id, webhook])),
      channels: new Map(users.map(({ userId, channels }) => [userId, channels])),
      onDuty,
      // Files in the outbox reach no one.
      sendable: settings.CHANNEL_KINDS.filter((kind) => !settings.OUTBOX_KINDS.includes(kind)),
      unnotifiedAfter: settings.UNNOTIFIED_AFTER_SECONDS,
    },
    users: new Map(users.map(({ userId, name }) => [userId, name])),
  };
};

/** Returns the group of each sensor that belongs to one. Empty if no rule or webhook is limited to a group. */
const readGroups = async (
  { store }: WatchDeps,
  customerId: number,
  { rules, webhooks }: { rules: readonly Rule[]; webhooks: readonly WebhookRecord[] },
): Promise<ReadonlyMap<string, number>> => {
  const isForGroup = [...rules, ...webhooks].some(({ sensorGroupId = null }) => sensorGroupId !== null);
  const groups = isForGroup ? await store.sensorGroups.list(customerId) : [];
  return new Map(groups.flatMap(({ id, sensorIds }) => sensorIds.map((sensorId) => [sensorId, id] as const)));
};

type Computed = Required<Pick<StoredWatch, 'watch' | 'onDuty'>>;

/** Reads everything a customer's watch depends on, and computes the watch. Null if the customer does not exist. */
const compute = async (deps: WatchDeps, customerId: number): Promise<Computed | null> => {
  const { store, settings, now } = deps;
  const [customer, listed, rules, webhooks, unnotified] = await Promise.all([
    store.customers.get(customerId, false),
    store.sensors.list(customerId),
    store.rules.list(customerId, false),
    store.webhooks.list(customerId, false),
    unnotifiedGaps(deps, customerId),
  ]);
  if (!customer) return null;
  const onDuty = await readPeopleOnDuty(store, customerId, customer, now());
  const [groupOf, recipients] = await Promise.all([
    readGroups(deps, customerId, { rules, webhooks }),
    readRecipients(deps, customerId, { rules, webhooks, onDuty }),
  ]);
  const sensors = listed.map(
    ({ id, name, isActive, isSilent, marksSilent, isFallDetectionOff, isMisunderstood }): WatchedSensor => ({
      id,
      name,
      groupId: groupOf.get(id) ?? 0,
      isActive,
      isSilent: Boolean(isSilent || marksSilent),
      detectsFalls: !isFallDetectionOff,
      isMisunderstood: Boolean(isMisunderstood),
    }),
  );
  const { timeZone } = customer;
  const loopbackTargets = webhooks
    .filter(({ url }) => url !== null && isUnnamedLoopback(url, settings))
    .map(({ id }) => id);
  const watch = computeWatch({
    now: now(),
    timeZone,
    sensors,
    rules,
    webhooks,
    ...recipients,
    unnotified,
    loopbackTargets,
  });
  return { watch, onDuty: onDutyViews(onDuty, settings) };
};

/** The number of computations whose opened gaps are kept until they are checked. */
const MAX_OPENED = 5;

/** Returns a computed watch as stored, with the gaps that have opened since the previous watch. */
const storedAfter = (before: StoredWatch | null, { watch, onDuty }: Computed): StoredWatch => {
  const gaps = openedGaps(before?.watch.gaps ?? [], watch.gaps);
  // The previous watch may have been computed before the clock was set back.
  const from = before && (isFuture(before.watch.date, watch.date) ? watch.date - UP_TO_DATE_MS : before.watch.date);
  const opened = { from, to: watch.date, gaps };
  return {
    watch,
    onDuty,
    opened: [...(before?.opened ?? []), ...(gaps.length > 0 ? [opened] : [])].slice(-MAX_OPENED),
  };
};

/** Waits for another request to compute the watch. If that takes too long, returns the previous watch. */
const waitForWatch = async (deps: WatchDeps, customerId: number): Promise<ReadWatch | null> => {
  const { store, now, pause } = deps;
  let stored: ReadWatch | null = null;
  for (let tries = 0; tries < MAX_TRIES && !(stored && isUpToDate(stored.watch, now())); tries++) {
    await pause(POLL_MS);
    stored = await store.watches.get(customerId);
  }
  return stored;
};

/**
 * Returns a customer's watch, at most a minute old unless computing it fails. Null if the customer does not exist.
 * `waits`: while another request computes the watch, whether to wait or to return the previous watch.
 */
export const currentWatch = async (
  deps: WatchDeps,
  customerId: number,
  { waits }: { waits: boolean },
): Promise<ReadWatch | null> => {
  const { store, now } = deps;
  const before = await store.watches.get(customerId);
  if (before && isUpToDate(before.watch, now())) return before;
  // The first request in each minute computes the watch. If that fails, the previous watch is returned until the next
  // minute.
  const minute = Math.floor(now() / UP_TO_DATE_MS) * UP_TO_DATE_MS;
  const calls = await store.limits.countCall(`watch:${customerId}`, minute);
  const known = calls > 1 && waits ? await waitForWatch(deps, customerId) : before;
  if (calls > 1 && known) return known;
  const computed = await compute(deps, customerId);
  if (!computed) return null;
  const stored = storedAfter(before, computed);
  // If another request stored a watch first, that watch is kept, and this one is returned without being stored.
  await store.watches.put(customerId, stored, before);
  return { ...stored, revision: (before?.revision ?? 0) + 1 };
};
