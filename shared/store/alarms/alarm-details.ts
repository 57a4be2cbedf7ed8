import { firstDeliveryId } from '#shared/domain/delivery/snapshot.ts';
import { eventKeyOf } from '#shared/domain/event/fall-key.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { Format } from '#shared/domain/formats/format.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { notifiedDateOf } from '#shared/domain/rule/alarm.ts';
import type { Alarm, AlarmState } from '#shared/domain/rule/alarm-view.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { DeliveryItem } from '../deliveries/delivery-item.ts';
import type { TableReader } from '../engine/client.ts';
import type { HitItem } from '../hits/hit-item.ts';
import { answerKey, answerTo, type FallAnswer, type StoredAnswer } from '../rules/fall-answer.ts';
import type { EventItem } from '../sensors/events.ts';
import { items } from '../table.ts';
import { type AlarmEnd, type AlarmEvents, eventOfAlarm, eventsOfAlarm } from './alarm-events.ts';
import { type AlarmWalk, type Candidate, MAX_APART_MS } from './alarm-walk.ts';
import { hitsAfter, hitsSince } from './hit-reader.ts';

/** A list row, without the sensor name. */
export type ListedAlarm = Omit<Alarm, 'name'>;

/** What is needed to read the rows on a page. `hooks`: the customer's webhooks that receive every event. */
export type DetailContext = {
  table: TableReader;
  customerId: number;
  hooks: Readonly<Record<string, Format>>;
  now: number;
} & Pick<AlarmWalk, 'hits' | 'hasNewer'>;

/** Whether the list has a row for a candidate: a fall has only one row, for the first urgent event. */
const isFirstOfFall = ({ uuid }: Candidate, { urgent: [first] }: AlarmEvents): boolean => !first || first.uuid === uuid;

/** Returns the hits for an alarm. Hits newer than those read so far are looked up by sensor. */
const hitsOf = async (
  { table, customerId, hits, hasNewer }: DetailContext,
  { hit, uuid, sensorId, date }: Candidate,
  { urgent }: AlarmEvents,
): Promise<HitItem[]> => {
  const uuids = new Set([uuid, ...urgent.map((event) => event.uuid)]);
  const last = Math.max(date, urgent.at(-1)?.receiveDate ?? date);
  const second = urgent[1];
  const [newest] = hits;
  const place = hit ? Math.max(last, orderDateOf(hit)) : last;
  const isUnread = hasNewer && (!newest || orderDateOf(newest) <= place + MAX_APART_MS);
  const lookUp = async (): Promise<HitItem[]> => {
    if (!isUnread) return [];
    if (hit) return hitsAfter(table, customerId, hit, { uuids, last });
    return second ? hitsSince(table, customerId, sensorId, second.receiveDate) : [];
  };
  const found = [...hits, ...(await lookUp())];
  const own = found.filter((one) => one.sensorId === sensorId && uuids.has(one.sensorEventId));
  return [...new Map(own.map((one) => [one.id, one])).values()].toSorted((one, other) => one.id - other.id);
};

/** The maximum number of customer webhooks checked for event deliveries. */
const MAX_HOOKS = 10;

/** Returns when (ms) a customer webhook first received one of the events; null if none has. */
const hookedDate = async (
  { table, customerId, hooks }: DetailContext,
  { sensorId }: Candidate,
  events: readonly EventItem[],
): Promise<number | null> => {
  const receivers = Object.entries(hooks).slice(0, MAX_HOOKS);
  const keys = events.flatMap((event) =>
    receivers.map(([webhookId, format]) => {
      const deliveryId = firstDeliveryId({ ...event, sensorId }, 0, webhookId, format);
      return items.delivery({ customerId, webhookId, deliveryId });
    }),
  );
  const unique = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
  const found = unique.length > 0 ? await table.getAll<DeliveryItem>(unique, false) : [];
  const dates = found.filter(({ state }) => state === 'delivered').map(({ updateDate }) => updateDate);
  return dates.length > 0 ? Math.min(...dates) : null;
};

/** Returns when (ms) anyone was first notified of an alarm. */
const notifiedDate = async (
  context: DetailContext,
  candidate: Candidate,
  { urgent }: AlarmEvents,
  hits: readonly HitItem[],
): Promise<number | null> => {
  const dates = hits.map(notifiedDateOf).filter((date) => date !== null);
  if (dates.length > 0) return Math.min(...dates);
  if (Object.keys(context.hooks).length === 0) return null;
  if (urgent.length > 0) return hookedDate(context, candidate, urgent);
  const event = await eventOfAlarm(context.table, context.customerId, candidate);
  return event && hookedDate(context, candidate, [event]);
};

/** The maximum number of feedback items read for a sensor. */
const MAX_FEEDBACK = 20;

/** Returns the newest feedback on an alarm without a rule. Feedback on any other alarm is stored in its hits. */
const feedbackOnEvents = async (
  { table, customerId }: DetailContext,
  { sensorId, uuid, date }: Candidate,
  { urgent }: AlarmEvents,
): Promise<Feedback | null> => {
  const idAt = (feedbackId: number) => items.feedback.sk({ feedbackId });
  const between = [idAt(firstIdAt(date)), idAt(Number.MAX_SAFE_INTEGER)] as const;
  const query = { pk: items.feedback.pk({ customerId, sensorId }), between, limit: MAX_FEEDBACK, consistent: false };
  const { items: found } = await table.query<Feedback>(query);
  const uuids = [uuid, ...urgent.map((event) => event.uuid)];
  const own = found.filter(({ eventId }) => eventId !== null && uuids.includes(eventId));
  const newest = own.at(-1);
  if (!newest) return null;
  const { pk: _, sk: __, ...feedback } = newest;
  return feedback;
};

/** Returns how people responded to an alarm, as stored in its hits, or else in the answer to the fall or event. */
const answerOf = async (
  { table, customerId }: DetailContext,
  { sensorId, eventId, ...candidate }: Candidate,
  hits: readonly HitItem[],
): Promise<FallAnswer> => {
  const fall = candidate.fall ?? (eventId === null ? null : eventKeyOf(eventId));
  if (hits.length === 0 && fall !== null) {
    const [answer = {}] = await table.getAll<StoredAnswer>([answerKey({ customerId, sensorId, fall })], false);
    return answerTo(answer, fall);
  }
  const acknowledged = hits.flatMap((hit) => hit.acknowledgement ?? []);
  const acknowledgement = acknowledged.toSorted((one, other) => one.date - other.date)[0];
  const closure = hits.findLast((hit) => hit.closure)?.closure;
  return { ...(acknowledgement && { acknowledgement }), ...(closure && { closure }) };
};

const stateOf = ({ acknowledgement }: FallAnswer, end: AlarmEnd | null, hits: readonly HitItem[]): AlarmState => {
  if (end) return 'over';
  if (acknowledgement) return 'acknowledged';
  return hits.some(({ unansweredDate }) => unansweredDate !== undefined) ? 'unanswered' : 'open';
};

/**
 * Returns the row for a candidate; null if the row for an earlier event in the same fall already covers the candidate.
 */
export const alarmOf = async (context: DetailContext, candidate: Candidate): Promise<ListedAlarm | null> => {
  const { table, customerId, now } = context;
  const { uuid, sensorId, situation, date, hit } = candidate;
  const known = await answerOf(context, candidate, hit ? [hit] : []);
  const closedAt = known.closure?.date ?? null;
  const events = await eventsOfAlarm(table, customerId, candidate, { now, closedAt });
  if (!isFirstOfFall(candidate, events)) return null;
  const hits = await hitsOf(context, candidate, events);
  const answer = hits.length > (hit ? 1 : 0) ? await answerOf(context, candidate, hits) : known;
  const [notified, ownFeedback] = await Promise.all([
    notifiedDate(context, candidate, events, hits),
    hits.length === 0 ? feedbackOnEvents(context, candidate, events) : null,
  ]);
  const ofHits = hits.flatMap(({ feedback }) => feedback ?? []).toSorted((one, other) => other.id - one.id);
  const { acknowledgement = null, closure } = answer;
  return {
    uuid,
    sensorId,
    situation,
    hitIds: hits.map(({ id }) => id),
    isSimulated: hits.some(({ isSimulated }) => isSimulated),
    createDate: date,
    notifiedDate: notified,
    acknowledgement,
    overDate: events.end?.date ?? null,
    overBy: events.end?.by ?? null,
    feedback: ofHits[0] ?? ownFeedback,
    note: closure?.note ?? acknowledgement?.note ?? null,
    outcome: closure?.outcome ?? null,
    state: stateOf(answer, events.end, hits),
  };
};
