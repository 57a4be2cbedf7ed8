/**
 * How far the hits and the alarms without a rule have been read, newest first. Hits with an id up to `hitId` are still
 * unread. So are alarms without a rule received before `date` (ms), and those received at `date` with a uuid lower than
 * `uuid`, or with any uuid if `uuid` is empty.
 */
export type AlarmCursor = { hitId: number; date: number; uuid: string };

const PATTERN = /^(\d{1,16})\.(\d{1,16})\.([0-9a-f-]{36})?$/;

/** Returns a cursor as a string for clients, which only send it back. */
export const formatCursor = ({ hitId, date, uuid }: AlarmCursor): string => `${hitId}.${date}.${uuid}`;

/** Parses a cursor. Returns null if the string is not one. */
export const parseCursor = (text: string): AlarmCursor | null => {
  const [, hitId, date, uuid = ''] = PATTERN.exec(text) ?? [];
  return hitId === undefined || date === undefined ? null : { hitId: Number(hitId), date: Number(date), uuid };
};

/** Whether an alarm without a rule has already been read. */
export const isPast = ({ date, uuid }: AlarmCursor, alarm: { date: number; uuid: string }): boolean =>
  alarm.date > date || (alarm.date === date && uuid !== '' && alarm.uuid >= uuid);
