import type { Situation } from '#shared/domain/event/event.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { LinkedAlarm, LinkedContent } from './linked-alarm.ts';

/** Whether somebody has acknowledged the alarm: nobody, the reader, or somebody else. `since` is a time in ms. */
type Status = { kind: 'open' } | { kind: 'mine' | 'theirs'; name: string; since: number };
/** A recipient who has been notified, and when (ms). */
export type Notified = { name: string; time: number };

/** What the page shows of an alarm. */
export type AlarmView = {
  situation: Situation;
  customerName: string;
  timeZone: string;
  /** Null if the sensor was deleted. */
  sensor: { id: string; name: string } | null;
  regionName: string;
  /** When (ms) it happened. */
  time: number;
  status: Status;
  /** The other recipients who have been notified, each once. */
  others: Notified[];
  /** When (ms) the next step of the escalation is due, or null. */
  nextStep: number | null;
};

const receiverKey = ({ publisher, accountId }: RuleMessage): string => `${publisher === 'webhook'} ${accountId}`;

/**
 * Returns the recipients who have been notified, except the recipient of the link. Only the first message to each
 * recipient counts.
 */
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

/** Reads what the page shows of the alarm behind a link. `isMine`: whether the reader has acknowledged it. */
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
    // The event of a very recent hit may not have been written yet.
    time: event?.createDate ?? createDate,
    status: statusOf(content, isMine),
    others: othersOf(linked),
    nextStep: escalation && !escalation.open ? escalation.at : null,
  };
};
