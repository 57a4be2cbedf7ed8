import { useQuery } from '@tanstack/react-query';
import { Loaded } from '#lib/console/ui/states.tsx';
import type { Room } from '#openapi';
import { newestEventsQuery, roomQuery } from '../queries.ts';
import { useDraft } from './draft.ts';
import { Drawing } from './drawing.tsx';

const Plan = ({ room }: { room: Room }) => {
  const { data: events = [] } = useQuery(newestEventsQuery(room.sensorId));
  return <Drawing room={room} draft={useDraft(room)} events={events} />;
};

/** A room drawing with the newest event positions. It cannot be edited here. */
export const Where = ({ sensorId }: { sensorId: string }) => {
  const query = useQuery(roomQuery(sensorId));
  return <Loaded query={query}>{(room) => <Plan room={room} />}</Loaded>;
};
