import type { Signal } from '#shared/domain/event/message.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { EventItem, MessageItem } from '#shared/store/sensors/events.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { findDeliveries, findDeliveriesToPeople, type TracedDelivery } from './deliveries.ts';
import type { FoundMessage, SensorKey } from './find.ts';
import { hitsAround } from './hits.ts';
import { type RuleInput, reconstructRuleInput, type Verdict, verdictOf } from './rules.ts';

/**
 * A device message. `signal` is null if the sensor is currently unknown, because the message then cannot be decoded.
 */
export type AcceptedMessage = { uuid: string; receiveDate: number; bytes: number; signal: Signal | null };

/** An event with verdicts, hits and deliveries. `others` is the number of rules for other situations or sensors. */
export type EventTrace = {
  event: EventItem;
  verdicts: Verdict[];
  others: number;
  hits: HitItem[];
  sent: TracedDelivery[];
};
export type MessageTrace = {
  place: SensorKey;
  sensor: SensorRecord | null;
  accepted: AcceptedMessage | null;
  events: EventTrace[];
  /** Notes on what the trace cannot know, and on what it infers from the current state. */
  notes: string[];
};

/** The maximum number of events to read for a message. Their ids are consecutive. */
const MAX_EVENTS = 100;

const messageAt = (table: Table, place: SensorKey, uuid: string) =>
  table.get<MessageItem>(items.message({ ...place, uuid }));

/** Reads a message's events, or only the one with this uuid if `all` is false. */
const eventsOf = async (table: Table, { place, item: { id } }: FoundMessage, uuid: string, all: boolean) => {
  const from = items.event.sk({ eventId: id, uuid: '' });
  const to = items.event.sk({ eventId: id + MAX_EVENTS, uuid: '' });
  const { items: found } = await table.query<EventItem>({ pk: items.event.pk(place), between: [from, to] });
  return found.filter((event) => event.uuid === uuid || (all && event.source === uuid));
};

const acceptedMessage = (
  sensor: SensorRecord | null,
  uuid: string,
  { receiveDate, raw = '{}' }: MessageItem,
): AcceptedMessage => ({
  uuid,
  receiveDate,
  bytes: Buffer.byteLength(raw),
  signal: sensor && decoders[sensor.manufacturer](JSON.parse(raw)).signal,
});

/** Returns, for each rule, the time (ms) of the most recent earlier event for which the rule fired. */
const firedBefore = async (
  table: Table,
  { customerId, sensorId }: SensorKey,
  { id, receiveDate }: EventItem,
  { rules, hits }: { rules: readonly Rule[]; hits: readonly HitItem[] },
): Promise<Map<number, number>> => {
  const dated = rules.map(async ({ id: ruleId }): Promise<[number, number][]> => {
    const earlier = hits.findLast((hit) => hit.ruleId === ruleId && hit.createDate <= receiveDate);
    const event = earlier && (await store(table).events.get(customerId, sensorId, earlier.sensorEventId));
    return event && event.id !== id ? [[ruleId, event.createDate]] : [];
  });
  return new Map((await Promise.all(dated)).flat());
};

type TraceContext = {
  table: Table;
  place: SensorKey;
  sensor: SensorRecord | null;
  accepted: AcceptedMessage | null;
  now: number;
};

/**
 * Returns the event as the rules saw it, and the rules that fired, based on the sensor's latest decision. If the
 * decision does not contain the event, the event is reconstructed.
 */
const decisionOn = async (
  { table, place, accepted }: TraceContext,
  event: EventItem,
): Promise<{ seen: RuleInput; rules: number[] }> => {
  const state = await store(table).states.get(place.customerId, place.sensorId);
  const kept = state?.decision?.decided.find(({ uuid }) => uuid === event.uuid);
  if (kept) return { seen: { what: kept.happening, isExact: true }, rules: kept.rules };
  return { seen: reconstructRuleInput(event, accepted?.signal ?? null), rules: [] };
};

const lifeOf = async (context: TraceContext, event: EventItem, notes: Set<string>): Promise<EventTrace> => {
  const { table, place, sensor, now } = context;
  const { rules: ruleStore, webhooks, customers } = store(table);
  const { customerId, sensorId } = place;
  const [{ seen, rules: decided }, all, nearby, hooks, customer] = await Promise.all([
    decisionOn(context, event),
    ruleStore.list(customerId),
    hitsAround(table, place, event.receiveDate),
    webhooks.list(customerId),
    customers.get(customerId),
  ]);
  if (!nearby.isWhole)
    notes.add('The sensor has too many hits around that time to read them all, so some may be missing here.');
  if (!seen.isExact && all.length > 0)
    notes.add(
      'The decision is no longer stored, so the region of the event and whether it was a new fall are unknown.',
    );
  const hits = nearby.hits.filter(({ sensorEventId }) => sensorEventId === event.uuid);
  const fired = new Set([...decided, ...hits.map(({ ruleId }) => ruleId)]);
  const sensorScope = { id: sensorId, groupId: sensor?.groupId ?? 0 };
  const isRelevant = (rule: Rule) =>
    fired.has(rule.id) ||
    (rule.situation === seen.what.situation &&
      [null, sensorId].includes(rule.sensorId) &&
      [null, sensorScope.groupId].includes(rule.sensorGroupId));
  const relevant = all.filter(isRelevant);
  const firedAt = await firedBefore(table, place, event, { rules: relevant, hits: nearby.hits });
  const webhookIds = [...new Set([...hooks.map(({ id }) => id), ...Object.keys(customer?.hooks ?? {})])];
  const sent = [
    ...(await findDeliveries(table, { place, event, webhookIds, ruleIds: [...fired] }, now)),
    ...(await findDeliveriesToPeople(table, place, event, hits)),
  ];
  if (hits.length > 0 && sent.length === 0)
    notes.add('Deliveries of deleted webhooks are found only with --delivery, --customer and --webhook.');
  return {
    event,
    verdicts: relevant.map((rule) => verdictOf(rule, { event, seen, sensor: sensorScope, fired, firedAt })),
    others: all.length - relevant.length,
    hits,
    sent,
  };
};

/** Reads everything the table contains about a message and all its events (`all`), or about a single event. */
export const readTrace = async (
  table: Table,
  uuid: string,
  { place, item }: FoundMessage,
  { all, now }: { all: boolean; now: number },
): Promise<MessageTrace> => {
  const { sensors } = store(table);
  const found = await eventsOf(table, { place, item }, uuid, all);
  const source = item.raw === undefined ? (found[0]?.source ?? null) : uuid;
  if (all && source !== null && source !== uuid) {
    const message = await messageAt(table, place, source);
    if (message) return readTrace(table, source, { place, item: message }, { all, now });
  }
  const sensor =
    (await sensors.get(place.customerId, place.sensorId)) ??
    (await sensors.former(place.customerId, place.sensorId))?.sensor ??
    null;
  const readAccepted = async (source: string): Promise<AcceptedMessage | null> => {
    const message = source === uuid ? item : await messageAt(table, place, source);
    return message && acceptedMessage(sensor, source, message);
  };
  const accepted = source === null ? null : await readAccepted(source);
  const notes = new Set<string>();
  const context = { table, place, sensor, accepted, now };
  const events: EventTrace[] = [];
  for (const event of found) events.push(await lifeOf(context, event, notes));
  return { place, sensor, accepted, events, notes: [...notes] };
};
