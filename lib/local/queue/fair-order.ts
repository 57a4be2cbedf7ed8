import { type Entry, isInFlight } from './entry.ts';
import { addTo, createHeap, type Heap, takeFrom } from './heap.ts';

/** The messages in one group. A message without a group id is a separate group, identified by its sequence number. */
type Group = {
  readonly id: string | number;
  readonly waiting: Heap<Entry>;
  hidden: number;
  inFlight: number;
  /** The turn in which the group was last served, or created. */
  turn: number;
  place: number;
};

export type IsFull = (groupId: string) => boolean;

/**
 * The order in which messages are received: groups with the fewest messages in flight come first, groups tied for the
 * fewest take turns, and within a group the oldest visible message is first. In a FIFO queue, a group with messages in
 * flight is blocked, except for the receive that took them. No function here iterates over all messages.
 */
export type FairOrder = {
  readonly isFifo: boolean;
  readonly groups: Map<string | number, Group>;
  /** Hidden messages, ordered by when they become visible. */
  readonly hidden: Heap<Entry>;
  /** Groups with a message to receive. */
  readonly ready: Heap<Group>;
  /** Groups from which the current receive has taken messages. */
  readonly served: Set<Group>;
  turn: number;
  size: number;
  inFlight: number;
};

export const createFairOrder = (isFifo: boolean): FairOrder => ({
  isFifo,
  groups: new Map(),
  hidden: createHeap((a, b) => a.visibleAt < b.visibleAt),
  ready: createHeap((a, b) => (a.inFlight === b.inFlight ? a.turn < b.turn : a.inFlight < b.inFlight)),
  served: new Set(),
  turn: 0,
  size: 0,
  inFlight: 0,
});

const newGroup = (id: string | number, turn: number): Group => {
  const waiting = createHeap<Entry>((a, b) => a.sequence < b.sequence);
  return { id, waiting, hidden: 0, inFlight: 0, turn, place: -1 };
};

const groupOf = (order: FairOrder, { groupId, sequence }: Entry): Group => {
  const id = groupId ?? sequence;
  const known = order.groups.get(id);
  if (known) return known;
  order.turn += 1;
  const group = newGroup(id, order.turn);
  order.groups.set(id, group);
  return group;
};

const isBlocked = ({ isFifo, served }: FairOrder, group: Group): boolean =>
  isFifo && group.inFlight > 0 && !served.has(group);

/** Updates whether a group is ready, and forgets an empty group. */
const refresh = (order: FairOrder, group: Group): void => {
  takeFrom(order.ready, group);
  const hasWaiting = group.waiting.items.length > 0;
  if (hasWaiting && !isBlocked(order, group)) addTo(order.ready, group);
  if (!hasWaiting && group.hidden === 0) order.groups.delete(group.id);
};

const count = (order: FairOrder, group: Group, entry: Entry, by: 1 | -1): void => {
  group.hidden += by;
  if (entry.receiveCount === 0) return;
  group.inFlight += by;
  order.inFlight += by;
};

export const show = (order: FairOrder, entry: Entry): void => {
  const group = groupOf(order, entry);
  takeFrom(order.hidden, entry);
  count(order, group, entry, -1);
  entry.isHidden = false;
  addTo(group.waiting, entry);
  refresh(order, group);
};

/** Hides a message until its `visibleAt`. */
export const hide = (order: FairOrder, entry: Entry): void => {
  const group = groupOf(order, entry);
  takeFrom(group.waiting, entry);
  addTo(order.hidden, entry);
  entry.isHidden = true;
  count(order, group, entry, 1);
  refresh(order, group);
};

export const add = (order: FairOrder, entry: Entry): void => {
  const group = groupOf(order, entry);
  order.size += 1;
  addTo(group.waiting, entry);
  refresh(order, group);
};

export const remove = (order: FairOrder, entry: Entry): void => {
  if (entry.isHidden) show(order, entry);
  const group = groupOf(order, entry);
  order.size -= 1;
  takeFrom(group.waiting, entry);
  refresh(order, group);
};

/** Shows the messages whose `visibleAt` time has come. */
export const showDue = (order: FairOrder, now: number): void => {
  const { items } = order.hidden;
  for (let first = items[0]; first && first.visibleAt <= now; first = items[0]) show(order, first);
};

const isEligible = ({ id }: Group, isFull: IsFull): boolean => typeof id === 'number' || !isFull(id);

/** Yields messages for one receive. The caller must hide or remove each one before requesting the next. */
export function* takeTurns(order: FairOrder, isFull: IsFull): Generator<Entry> {
  const { ready, served } = order;
  const skipped: Group[] = [];
  try {
    for (let group = ready.items[0]; group; group = ready.items[0]) {
      const [entry] = group.waiting.items;
      if (entry && isEligible(group, isFull)) {
        order.turn += 1;
        group.turn = order.turn;
        served.add(group);
        yield entry;
      } else {
        takeFrom(ready, group);
        skipped.push(group);
      }
    }
  } finally {
    const touched = [...skipped, ...served];
    served.clear();
    for (const group of touched) refresh(order, group);
  }
}

/** Whether a message is neither in flight nor blocked by another in its group. */
export const isFree = (order: FairOrder, entry: Entry): boolean =>
  !isInFlight(entry) && !isBlocked(order, groupOf(order, entry));

export const nextVisibleAt = ({ hidden }: FairOrder): number => hidden.items[0]?.visibleAt ?? Number.POSITIVE_INFINITY;

/** Returns when (ms) a message can next be received. 0 means immediately. */
export const dueAt = (order: FairOrder, isFull: IsFull): number =>
  order.ready.items.some((group) => isEligible(group, isFull)) ? 0 : nextVisibleAt(order);

/** Returns the number of visible messages blocked by another message in their group. */
export const blockedIn = (order: FairOrder): number => {
  if (!order.isFifo) return 0;
  let blocked = 0;
  for (const group of order.groups.values()) if (isBlocked(order, group)) blocked += group.waiting.items.length;
  return blocked;
};
