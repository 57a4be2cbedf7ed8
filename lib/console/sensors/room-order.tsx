import { useQuery } from '@tanstack/react-query';
import type { ListedSensor } from '#openapi';
import { groupsQuery } from '../groups/query.ts';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';

/** Returns a function that names the group a sensor is in; '' if it is in none. */
export const useGroupNames = () => {
  const customerId = useCustomerId();
  const { data: groups = [] } = useQuery({ ...groupsQuery(customerId ?? 0), enabled: customerId !== null });
  const names = new Map(
    groups.flatMap(({ name, sensorIds }) => sensorIds.map((sensorId) => [sensorId, name] as const)),
  );
  return (sensorId: string): string => names.get(sensorId) ?? '';
};

/** Returns a function that ranks a room: the most urgent alarm first, then offline rooms, then normal rooms. */
const useRank = () => {
  const rows = useAlarms()?.rows ?? [];
  return ({ id, isActive }: ListedSensor): number => {
    const at = rows.findIndex(({ sensorId }) => sensorId === id);
    if (at >= 0) return at;
    return rows.length + (isActive ? 1 : 0);
  };
};

/**
 * Returns a function that sorts rooms by group. Within a group, rooms that need someone come first; otherwise the order
 * is kept. Rooms without a group come last.
 */
export const useRoomOrder = () => {
  const rankOf = useRank();
  const groupOf = useGroupNames();
  return (rooms: readonly ListedSensor[]): ListedSensor[] => {
    const byGroup = Map.groupBy(rooms, ({ id }) => groupOf(id));
    const groups = [...byGroup].map(([name, members]) => {
      const sorted = members.toSorted((a, b) => rankOf(a) - rankOf(b));
      return { name, sorted, rank: Math.min(...members.map(rankOf)) };
    });
    return groups
      .toSorted(
        (a, b) => a.rank - b.rank || Number(a.name === '') - Number(b.name === '') || (a.name < b.name ? -1 : 1),
      )
      .flatMap(({ sorted }) => sorted);
  };
};

/**
 * Returns a function that assigns a room to a group with a heading; undefined if no room is in a group. `isWhole` means
 * that `rooms` is complete, so that the heading can count them.
 */
export const useGrouping = (rooms: readonly ListedSensor[], isWhole: boolean) => {
  const { sensors: texts } = useTexts();
  const groupOf = useGroupNames();
  const members = Map.groupBy(rooms, ({ id }) => groupOf(id));
  if ([...members.keys()].every((name) => name === '')) return undefined;
  return ({ id }: ListedSensor) => {
    const name = groupOf(id);
    const all = members.get(name) ?? [];
    const heading = (
      <>
        {name === '' ? texts.noGroup : <Name>{name}</Name>}{' '}
        {isWhole && (
          <span className="meta">
            {texts.inGroup(all.length, all.filter(({ state }) => state?.presence === true).length)}
          </span>
        )}
      </>
    );
    return { key: name, heading };
  };
};
