import { type Cell, csvText } from '#shared/api/csv.ts';
import type { Alarm } from '#shared/domain/rule/alarm-view.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';

const iso = (date: number | null): string | null => (date === null ? null : new Date(date).toISOString());

type Column = (alarm: Alarm, timeZone: string) => Cell;

/** Returns a column with the seconds from the alarm to a later time. */
const secondsTo =
  (dateOf: (alarm: Alarm) => number | null): Column =>
  (alarm) => {
    const date = dateOf(alarm);
    return date === null ? null : Math.round((date - alarm.createDate) / 1_000);
  };

const acknowledgedDate = ({ acknowledgement }: Alarm): number | null => acknowledgement?.date ?? null;

const columns: Readonly<Record<string, Column>> = {
  date: ({ createDate }, timeZone) => wallTime(createDate, timeZone).date,
  time: ({ createDate }, timeZone) => wallTime(createDate, timeZone).clock,
  timeZone: (_, timeZone) => timeZone,
  room: ({ name }) => name,
  situation: ({ situation }) => situation,
  state: ({ state }) => state,
  secondsToNotified: secondsTo(({ notifiedDate }) => notifiedDate),
  secondsToAcknowledged: secondsTo(acknowledgedDate),
  secondsToOver: secondsTo(({ overDate }) => overDate),
  acknowledgedBy: ({ acknowledgement }) => acknowledgement?.name ?? null,
  overBy: ({ overBy }) => overBy,
  outcome: ({ outcome }) => outcome,
  note: ({ note }) => note,
  feedback: ({ feedback }) => feedback?.classification ?? null,
  feedbackDescription: ({ feedback }) => feedback?.description ?? null,
  isSimulated: ({ isSimulated }) => isSimulated,
  createDate: ({ createDate }) => iso(createDate),
  notifiedDate: ({ notifiedDate }) => iso(notifiedDate),
  acknowledgedDate: (alarm) => iso(acknowledgedDate(alarm)),
  overDate: ({ overDate }) => iso(overDate),
  sensorId: ({ sensorId }) => sensorId,
  hitIds: ({ hitIds }) => hitIds.join(' '),
  uuid: ({ uuid }) => uuid,
};

/** Returns alarms as CSV, one line per alarm. The `date` and `time` columns use `timeZone`, all other times UTC. */
export const csvOf = (alarms: readonly Alarm[], timeZone: string): string =>
  csvText([
    Object.keys(columns),
    ...alarms.map((alarm) => Object.values(columns).map((column) => column(alarm, timeZone))),
  ]);
