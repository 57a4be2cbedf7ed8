import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { sensorsIn } from '#shared/delivery/gathered.ts';
import { type Delivery, LEASE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import { GATHER_SPAN_MS, isGathered, MAX_GATHERED } from '#shared/domain/delivery/gathering.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import type { DeliverDeps } from './deps.ts';
import { leaseOther } from './lease.ts';
import { type Outcome, requeueAt, requeueFound } from './schedule.ts';

/**
 * How long (s) a single task may gather the deliveries to a person or chat. Other tasks are requeued until that time is
 * over. Must not exceed the shortest retry delay.
 */
const ELECTION_SECONDS = 8;

/** The maximum number of person deliveries to read when gathering a single message. */
const MAX_READ = 5_000;

const telegramChat = (channels: readonly Channel[] | null): string | null =>
  channels?.flatMap((channel) => (channel.by === 'telegram' ? channel.address : [])).at(0) ?? null;

/** Returns a key for the readers of a message: a chat, possibly shared by several users, or a user on a channel. */
const readerKey = async (deps: DeliverDeps, { customerId, person }: Delivery): Promise<string> => {
  const { userId = 0, by } = person ?? {};
  const chat = by === 'telegram' ? telegramChat(await verifiedChannelsOf(deps.store, customerId, userId)) : null;
  return [customerId, by, chat === null ? `user ${userId}` : `chat ${chat}`].join(' ');
};

/**
 * Decides whether a delivery task may gather all deliveries due for the same person or chat. Each delivery has a task,
 * and all of them may arrive at once, in several processes. One task is elected. The others are requeued until their
 * deliveries have been sent. A task whose delivery is sent separately needs no election.
 */
export const electGatherer = async (deps: DeliverDeps, key: DeliveryKey): Promise<'elected' | Outcome> => {
  const { store, now } = deps;
  const found = await store.deliveries.getQueued(key);
  const { delivery, until } = found;
  const isOpen = delivery?.state === 'pending' || delivery?.state === 'retrying';
  const dueAt = until ?? (isOpen ? (delivery.nextAttempt ?? 0) : Number.POSITIVE_INFINITY);
  if (delivery && !isGathered(delivery)) return 'elected';
  if (!delivery || dueAt > now()) return requeueFound(deps, key, found);
  const subject = `gather:${await readerKey(deps, delivery)}`;
  if (await store.limits.take(subject, 1, ELECTION_SECONDS, now())) return 'elected';
  return requeueAt(deps, { ...delivery, ...key }, now() + ELECTION_SECONDS * 1_000);
};

/**
 * Returns a filter for the deliveries with the same reader as the given delivery. `chat` is the Telegram chat of that
 * reader.
 */
const sameReader = async (
  { store }: DeliverDeps,
  { customerId, person }: Delivery,
  chat: string | null,
  candidates: readonly Delivery[],
) => {
  const { userId, by } = person ?? {};
  const others =
    chat === null ? [] : candidates.flatMap(({ person: other }) => (other?.by === by ? other?.userId : []) ?? []);
  const users = new Set([userId]);
  for (const other of new Set(others))
    if (other !== userId && telegramChat(await verifiedChannelsOf(store, customerId, other)) === chat) users.add(other);
  return (delivery: Delivery) => delivery.person?.by === by && users.has(delivery.person?.userId);
};

/**
 * Claims the other pending deliveries to the reader if these and the claimed delivery are about several sensors. Each
 * delivery keeps its task. If this process dies, the delivery is attempted again once the claim has expired. `channel`
 * is null if the person cannot be reached.
 */
export const gatherFor = async (
  deps: DeliverDeps,
  delivery: Delivery,
  channel: Channel | null,
): Promise<Delivery[]> => {
  const { store, now, enqueue } = deps;
  const { customerId, id } = delivery;
  // A delivery from before the clock was set back has a time in the future.
  const [since, until] = [Math.min(timeOfUlid(id), now()) - GATHER_SPAN_MS, Math.max(timeOfUlid(id), now())];
  const found = await store.deliveries.dueToPeople(customerId, [since, until], now(), MAX_READ);
  const candidates = found.filter((other) => other.delivery.id !== id && isGathered(other.delivery));
  const deliveries = candidates.map((candidate) => candidate.delivery);
  const isSame = await sameReader(deps, delivery, telegramChat(channel && [channel]), deliveries);
  const others = candidates.filter((candidate) => isSame(candidate.delivery)).slice(0, MAX_GATHERED - 1);
  if (sensorsIn([delivery, ...others.map((other) => other.delivery)]) < 2) return [];
  // Claiming a delivery removes it from the index, which may be the only thing that would trigger a retry.
  const guards = others
    .filter(({ isIndexed }) => isIndexed)
    .map((other) => ({ ...deliverTask(other.delivery), isRetry: true }));
  if (guards.length > 0) await enqueue(guards, { delaySeconds: LEASE_SECONDS });
  const claimed: Delivery[] = [];
  await inBatches(others, async (other) => {
    const leased = await leaseOther(deps, other.delivery);
    if (leased) claimed.push(leased);
  });
  return claimed;
};
