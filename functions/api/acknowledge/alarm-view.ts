import type { Situation } from '#shared/domain/event/event.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { LinkedAlarm, LinkedContent } from './linked-alarm.ts';

/** The acknowledgement status: open, acknowledged by the reader, or acknowledged by someone else. `since` is in ms. */
type Status = { kind: 'open' } | { kind: 'mine' | 'theirs'; name: string; since: number };
/** A recipient who was notified, and when (ms). */
export type Notified = { name: string; time: number };

/** The alarm data shown on the page. */
export type AlarmView = {
  situation: Situation;
  customerName: string;
  timeZone: string;
  /** Null if the sensor has been deleted. */
  sensor: { id: string; name: string } | null;
  regionName: string;
  /** The event time (ms). */
  time: number;
  status: Status;
  /** The other notified recipients, without duplicates. */
  others: Notified[];
  /** When (ms) the next escalation step is due, or null. */
  nextStep: number | null;
};

const receiverKey = ({ publisher, accountId }: RuleMessage): string => `${publisher === 'webhook'} ${accountId}`;

/** Returns the notified recipients, excluding the link's recipient. Only the first message to each recipient counts. */
const othersOf = ({ content, message: own, recipient: { userId } }: LinkedAlarm): Notified[] => {
  const byReceiver = new Map<string, Notified>();
  content.messages.forEach((message, index) => {
    const { publisher, accountId, wasSend, sendTryTimes, createDate, extra } = message;
    const isOwn = index === own || (publisher !== 'webhook' && accountId === userId);
    const key = receiverKey(message);
    if (!wasSend || isOwn || byReceiver.has(key)) return;
    byReceiver.set(key, { name: extra.display_name, time: sendTryTimes.at(-1) ?? createDate });
  });
  return [...byReceiver.values()];
};

const statusOf = ({ acknowledgement }: LinkedContent, isMine: boolean): Status =>
  acknowledgement
    ? { kind: isMine ? 'mine' : 'theirs', name: acknowledgement.name, since: acknowledgement.date }
    : { kind: 'open' };

/** Reads the data that the page shows for the linked alarm. `isMine`: whether the reader has acknowledged the alarm. */
export const viewOf = async (
  store: StoreOf<'sensors.get' | 'customers.get' | 'events.get'>,
  linked: LinkedAlarm,
  isMine: boolean,
): Promise<AlarmView> => {
  const { content, customerId } = linked;
  const { sensorId, sensorEventId, situation, createDate, escalation } = content;
  const [sensor, customer, event] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.customers.get(customerId),
    store.events.get(customerId, sensorId, sensorEventId),
  ]);
  return {
    situation,
    customerName: customer?.name ?? '',
    timeZone: customer?.timeZone ?? 'UTC',
    sensor: sensor && { id: sensor.id, name: sensor.name },
    regionName: event?.region?.name ?? '',
    // The event for a very recent hit may not have been written yet.
    time: event?.createDate ?? createDate,
    status: statusOf(content, isMine),
    others: othersOf(linked),
    nextStep: escalation && !escalation.open ? escalation.at : null,
  };
};
