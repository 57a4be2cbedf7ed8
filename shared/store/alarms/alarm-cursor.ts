/**
 * How far two lists were read, newest first: the hits with an id up to `hitId` remain, and of the alarms without a rule
 * those received before `date` (ms), and at that time those with a lower uuid; without a uuid, all of that time.
 */
export type AlarmCursor = { hitId: number; date: number; uuid: string };

const PATTERN = /^(\d{1,16})\.(\d{1,16})\.([0-9a-f-]{36})?$/;

/** Returns a cursor as clients see it, who only pass it on. */
export const formatCursor = ({ hitId, date, uuid }: AlarmCursor): string => `${hitId}.${date}.${uuid}`;

/** Returns the cursor of a text; null for any other text. */
export const parseCursor = (text: string): AlarmCursor | null => {
  const [, hitId, date, uuid = ''] = PATTERN.exec(text) ?? [];
  return hitId === undefined || date === undefined ? null : { hitId: Number(hitId), date: Number(date), uuid };
};

/** Whether an alarm without a rule was read before. */
export const isPast = ({ date, uuid }: AlarmCursor, alarm: { date: number; uuid: string }): boolean =>
  alarm.date > date || (alarm.date === date && uuid !== '' && alarm.uuid >= uuid);
