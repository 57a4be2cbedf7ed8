import type { RuleHit } from '#openapi';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import { type Alarm, acknowledgementOf, answeredAlarms, isOpen } from './alarms.ts';
import { fallKey, type OpenFall } from './falls.ts';

/** What a board row asks people to do: to go, to look, or just to know. */
export type RowKind = 'open' | 'mine' | 'suspected' | 'offline' | 'theirs';
const kindOrder: readonly RowKind[] = ['open', 'mine', 'suspected', 'offline', 'theirs'];

/** An alarm from a rule, or a fall that no rule reported. */
type Item = {
  /** The alarm keys. At least one stays the same from one read to the next. */
  keys: readonly string[];
  subject: string;
  sensorId: string;
  name: string;
  since: number;
  isOpen: boolean;
  isSuspected: boolean;
  isOffline: boolean;
  acknowledgement: RuleHit['acknowledgement'];
  /** The number of times recipients were notified. Grows with each escalation round. */
  rounds: number;
  alarm?: Alarm;
  fall?: OpenFall;
};

/** A board row: what is happening in a room. */
export type Row = {
  key: string;
  kind: RowKind;
  sensorId: string;
  name: string;
  /** When the oldest unanswered alarm began or, if all alarms are answered, when one was acknowledged. */
  since: number;
  /** How many falls the row represents, and when the most recent fall began. */
  falls: number;
  lastSince: number;
  /** The highest escalation step that has notified people; 0 if none has yet. */
  step: number;
  acknowledgement: RuleHit['acknowledgement'];
  items: readonly [Item, ...Item[]];
};

/**
 * Whether a fall is only suspected so far. As in the alarm list, it becomes an alarm when the sensor reports it
 * (`calling`), which follows the states `detected` and `confirmed`.
 */
const isSuspicion = (hits: readonly RuleHit[], fall: OpenFall | undefined): boolean =>
  fall?.fallState !== 'calling' && !hits.some(({ situation }) => isUrgent(situation));

const roundsOf = ({ hits }: Alarm): number =>
  hits.flatMap(({ ruleMessages }) => ruleMessages).reduce((sum, message) => sum + message.sendTryTimes.length, 0);

const itemOfAlarm = (alarm: Alarm): Item => {
  const { hits, fall, sensorId, name, since, isFall } = alarm;
  const [{ situation }] = hits;
  return {
    keys: [...hits.map(({ id }) => `hit ${id}`), ...(fall ? [fallKey(fall)] : [])],
    subject: isFall ? 'fall' : situation,
    sensorId,
    name,
    since,
    isOpen: isOpen(alarm),
    isSuspected: isFall && isSuspicion(hits, fall),
    isOffline: situation === 'sensor_inactive',
    acknowledgement: acknowledgementOf(alarm),
    rounds: roundsOf(alarm),
    alarm,
    ...(fall && { fall }),
  };
};

const itemOfFall = (fall: OpenFall): Item => ({
  keys: [fallKey(fall)],
  subject: 'fall',
  sensorId: fall.sensorId,
  name: fall.name,
  since: fall.since,
  isOpen: !fall.acknowledgement,
  isSuspected: isSuspicion([], fall),
  isOffline: false,
  acknowledgement: fall.acknowledgement ?? null,
  rounds: 0,
  fall,
});

const kindOf = (items: readonly Item[], userId: number | null): RowKind => {
  const open = items.filter((item) => item.isOpen);
  if (open.some(({ isSuspected, isOffline }) => !isSuspected && !isOffline)) return 'open';
  if (open.some(({ isSuspected }) => isSuspected)) return 'suspected';
  if (open.length > 0) return 'offline';
  const isMine = ({ acknowledgement }: Item): boolean => userId !== null && acknowledgement?.userId === userId;
  return items.some(isMine) ? 'mine' : 'theirs';
};

/** Returns the number of falls among the alarms in a room. Several rules can fire for one fall. */
const fallsOf = (items: readonly Item[]): number => {
  const events = items
    .flatMap(({ alarm }) => alarm?.hits ?? [])
    .filter(({ situation }) => situation === 'fall_detected');
  const known = new Set(events.map(({ sensorEventId }) => sensorEventId)).size;
  const unreported = items.filter(({ alarm }) => !alarm).length;
  return Math.max(items.length, known + unreported);
};

const rowOf = (key: string, [first, ...others]: readonly [Item, ...Item[]], userId: number | null): Row => {
  const items = [first, ...others] as const;
  const kind = kindOf(items, userId);
  const waiting = items.filter(({ isOpen }) => isOpen);
  const acknowledgement = items.find((item) => item.acknowledgement)?.acknowledgement ?? null;
  const steps = items.flatMap(({ alarm }) => alarm?.hits ?? []).flatMap(({ ruleMessages }) => ruleMessages);
  const began = waiting.length > 0 ? Math.min(...waiting.map(({ since }) => since)) : first.since;
  return {
    key,
    kind,
    sensorId: first.sensorId,
    name: first.name,
    since: waiting.length === 0 && acknowledgement ? acknowledgement.date : began,
    falls: first.subject === 'fall' ? fallsOf(items) : 1,
    lastSince: Math.max(...items.map(({ since }) => since)),
    step: Math.max(0, ...steps.map(({ step }) => step)),
    acknowledgement,
    items,
  };
};

/**
 * Returns the board rows. Rows that need someone come first, and older rows come before newer rows. A room has one row
 * for all its falls, and one row for each other situation. A second fall reopens the row.
 */
export const boardOf = (
  alarms: readonly Alarm[],
  unreported: readonly OpenFall[],
  userId: number | null,
  now: number,
): Row[] => {
  const shown = [...alarms.filter(isOpen), ...answeredAlarms(alarms, now).acknowledged];
  const items = [...shown.map(itemOfAlarm), ...unreported.map(itemOfFall)].toSorted((a, b) => a.since - b.since);
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = `${item.sensorId} ${item.subject}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups]
    .map(([key, group]) => rowOf(key, group, userId))
    .toSorted((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || a.since - b.since);
};

/** Returns what should sound: alarms until they are acknowledged, and suspicions and offline sensors once. */
export const soundingOf = (rows: readonly Row[]) => {
  const waiting = rows.flatMap(({ items }) => items).filter(({ isOpen }) => isOpen);
  const isQuiet = ({ isSuspected, isOffline }: Item): boolean => isSuspected || isOffline;
  return { alarms: waiting.filter((item) => !isQuiet(item)), suspicions: waiting.filter(isQuiet) };
};
