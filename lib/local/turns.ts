import { type Entry, isInFlight } from './entry.ts';
import { addTo, createHeap, type Heap, takeFrom } from './heap.ts';

/** The messages of one tenant; one without a group id is a tenant of its own, under its sequence number. */
type Group = {
  readonly id: string | number;
  readonly waiting: Heap<Entry>;
  hidden: number;
  inFlight: number;
  /** When it was served last, or came. */
  turn: number;
  place: number;
};

export type IsFull = (groupId: string) => boolean;

/**
 * Who is next: groups with the fewest in flight first, equals in turn, and in a group the oldest that is visible. In a
 * FIFO queue a group with anything in flight has to wait, except for the receive that took it. Nothing here looks at all
 * messages.
 */
export type Turns = {
  readonly isFifo: boolean;
  readonly groups: Map<string | number, Group>;
  /** By the time at which they become visible. */
  readonly hidden: Heap<Entry>;
  /** Groups that have something to give. */
  readonly ready: Heap<Group>;
  /** By the receive that is going on. */
  readonly served: Set<Group>;
  turn: number;
  size: number;
  inFlight: number;
};

export const createTurns = (isFifo: boolean): Turns => ({
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

const groupOf = (turns: Turns, { groupId, sequence }: Entry): Group => {
  const id = groupId ?? sequence;
  const known = turns.groups.get(id);
  if (known) return known;
  turns.turn += 1;
  const group = newGroup(id, turns.turn);
  turns.groups.set(id, group);
  return group;
};

const isBlocked = ({ isFifo, served }: Turns, group: Group): boolean =>
  isFifo && group.inFlight > 0 && !served.has(group);

/** Puts a group where it belongs now. */
const settle = (turns: Turns, group: Group): void => {
  takeFrom(turns.ready, group);
  const hasSome = group.waiting.items.length > 0;
  if (hasSome && !isBlocked(turns, group)) addTo(turns.ready, group);
  if (!hasSome && group.hidden === 0) turns.groups.delete(group.id);
};

const count = (turns: Turns, group: Group, entry: Entry, by: 1 | -1): void => {
  group.hidden += by;
  if (entry.receiveCount === 0) return;
  group.inFlight += by;
  turns.inFlight += by;
};

export const show = (turns: Turns, entry: Entry): void => {
  const group = groupOf(turns, entry);
  takeFrom(turns.hidden, entry);
  count(turns, group, entry, -1);
  entry.isHidden = false;
  addTo(group.waiting, entry);
  settle(turns, group);
};

/** Until its `visibleAt`. */
export const hide = (turns: Turns, entry: Entry): void => {
  const group = groupOf(turns, entry);
  takeFrom(group.waiting, entry);
  addTo(turns.hidden, entry);
  entry.isHidden = true;
  count(turns, group, entry, 1);
  settle(turns, group);
};

export const add = (turns: Turns, entry: Entry): void => {
  const group = groupOf(turns, entry);
  turns.size += 1;
  addTo(group.waiting, entry);
  settle(turns, group);
};

export const remove = (turns: Turns, entry: Entry): void => {
  if (entry.isHidden) show(turns, entry);
  const group = groupOf(turns, entry);
  turns.size -= 1;
  takeFrom(group.waiting, entry);
  settle(turns, group);
};

/** Shows again whose time has come. */
export const showDue = (turns: Turns, now: number): void => {
  const { items } = turns.hidden;
  for (let first = items[0]; first && first.visibleAt <= now; first = items[0]) show(turns, first);
};

const isWelcome = ({ id }: Group, isFull: IsFull): boolean => typeof id === 'number' || !isFull(id);

/** For one receive: whoever gets an entry hides or removes it before asking for the next. */
export function* inTurn(turns: Turns, isFull: IsFull): Generator<Entry> {
  const { ready, served } = turns;
  const aside: Group[] = [];
  try {
    for (let group = ready.items[0]; group; group = ready.items[0]) {
      const [entry] = group.waiting.items;
      if (entry && isWelcome(group, isFull)) {
        turns.turn += 1;
        group.turn = turns.turn;
        served.add(group);
        yield entry;
      } else {
        takeFrom(ready, group);
        aside.push(group);
      }
    }
  } finally {
    const touched = [...aside, ...served];
    served.clear();
    for (const group of touched) settle(turns, group);
  }
}

/** Whether nobody has it, nor anything of its group that goes before it. */
export const isFree = (turns: Turns, entry: Entry): boolean =>
  !isInFlight(entry) && !isBlocked(turns, groupOf(turns, entry));

export const nextVisibleAt = ({ hidden }: Turns): number => hidden.items[0]?.visibleAt ?? Number.POSITIVE_INFINITY;

/** When something can be received; 0 is at once. */
export const dueAt = (turns: Turns, isFull: IsFull): number =>
  turns.ready.items.some((group) => isWelcome(group, isFull)) ? 0 : nextVisibleAt(turns);

/** How many are visible, but wait for another one of their group. */
export const blockedIn = (turns: Turns): number => {
  if (!turns.isFifo) return 0;
  let blocked = 0;
  for (const group of turns.groups.values()) if (isBlocked(turns, group)) blocked += group.waiting.items.length;
  return blocked;
};
