import { Table, Text } from '@mantine/core';
import type { ReportMonth } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { duration } from './duration.ts';
import { useReportTexts } from './texts.ts';
import '../ui/list.css';

/** The maximum number of rooms listed. The file contains all rooms. */
const MAX_ROOMS = 200;

// Lets headers wrap in narrow columns.
const amount = { ta: 'end', style: { whiteSpace: 'normal', overflowWrap: 'normal' } } as const;

type Room = ReportMonth['rooms'][number];
/** Returns the weight for sorting rooms. Rooms with the most falls come first. */
const weightOf = ({ falls, sensitiveFalls, suspectedFalls, falseAlarms, missed, silences }: Room): number =>
  1_000 * (falls + sensitiveFalls) + suspectedFalls + falseAlarms + missed + silences;

/** The monthly figures by room. */
export const Rooms = ({ month }: { month: ReportMonth }) => {
  const { sensors } = useTexts();
  const texts = useReportTexts();
  const dates = useDates();
  const time = (ms: number | null) => (ms === null ? '–' : duration(ms));
  const columns: { head: string; cell: (room: Room) => string; isMinor?: true }[] = [
    { head: texts.falls, cell: (room) => dates.number(room.falls + room.sensitiveFalls) },
    { head: texts.suspected, cell: (room) => dates.number(room.suspectedFalls), isMinor: true },
    { head: texts.falseAlarms, cell: (room) => dates.number(room.falseAlarms) },
    { head: texts.missed, cell: (room) => dates.number(room.missed), isMinor: true },
    { head: texts.unanswered, cell: (room) => dates.number(room.unanswered), isMinor: true },
    { head: texts.median, cell: (room) => time(room.medianMs), isMinor: true },
    { head: texts.p90, cell: (room) => time(room.p90Ms), isMinor: true },
    { head: texts.timesOffline, cell: (room) => dates.number(room.silences), isMinor: true },
    { head: texts.timeOffline, cell: (room) => (room.silentMs > 0 ? duration(room.silentMs) : '–'), isMinor: true },
  ];
  const byName = (room: Room, other: Room) =>
    (room.name ?? '').localeCompare(other.name ?? '', undefined, { numeric: true });
  const rooms = month.rooms.toSorted((room, other) => weightOf(other) - weightOf(room) || byName(room, other));
  return (
    <>
      <Table.ScrollContainer minWidth={0} type="native" className="rows-container">
        <Table aria-label={texts.rooms} highlightOnHover verticalSpacing={6} fz="sm" className="rows">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{sensors.name}</Table.Th>
              {columns.map(({ head, isMinor }) => (
                <Table.Th key={head} {...amount} className={isMinor ? 'minor' : ''}>
                  {head}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rooms.slice(0, MAX_ROOMS).map((room) => (
              <Table.Tr key={room.sensorId}>
                <Table.Td miw="8rem">
                  {room.name === null ? (
                    texts.formerSensor
                  ) : (
                    <NameLink href={`/sensors/${room.sensorId}`}>{room.name}</NameLink>
                  )}
                </Table.Td>
                {columns.map(({ head, cell, isMinor }) => (
                  <Table.Td key={head} {...amount} className={isMinor ? 'minor' : ''}>
                    {cell(room)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rooms.length > MAX_ROOMS && <Text size="sm">{texts.more(rooms.length - MAX_ROOMS)}</Text>}
    </>
  );
};
