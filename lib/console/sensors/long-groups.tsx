import { ChevronDownIcon, ChevronUpIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ListedSensor } from '#openapi';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { useTexts } from '../texts/texts.tsx';
import { collapsed } from './collapse.ts';
import { useGroupNames } from './room-order.tsx';

type MoreProps = { hidden: readonly ListedSensor[]; isOpen: boolean; onToggle: () => void };
/** A button in place of the hidden rooms in a group, with the number of rooms that are occupied, empty or unknown. */
const More = ({ hidden, isOpen, onToggle }: MoreProps) => {
  const { sensors: texts } = useTexts();
  const count = (presence: boolean | null): number =>
    hidden.filter(({ state }) => (state?.presence ?? null) === presence).length;
  const Icon = isOpen ? ChevronUpIcon : ChevronDownIcon;
  return (
    <Button
      variant="subtle"
      size="xs"
      px={0}
      fw="normal"
      aria-expanded={isOpen}
      rightSection={<Icon className="icon" />}
      onClick={onToggle}
    >
      {isOpen ? texts.fewer : texts.moreInGroup(hidden.length, count(true), count(false), count(null))}
    </Button>
  );
};

/**
 * Shortens the groups in a list. Each group keeps the rooms that are not normal, and a few normal rooms. `isShown` is
 * whether a room is shown; `footOf` returns the line below the last room in a shortened group.
 */
export const useLongGroups = (rooms: readonly ListedSensor[], selected: string) => {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const rows = useAlarms()?.rows ?? [];
  const groupOf = useGroupNames();
  const isNormal = ({ id, isActive }: ListedSensor): boolean =>
    isActive && id !== selected && !rows.some(({ sensorId }) => sensorId === id);
  const feet = new Map<string, ReactNode>();
  const shown = [...Map.groupBy(rooms, ({ id }) => groupOf(id))].flatMap(([name, members]) => {
    const split = collapsed(members, isNormal);
    const isOpen = opened.includes(name);
    const visible = isOpen ? members : split.shown;
    const toggle = () => setOpened(isOpen ? opened.filter((other) => other !== name) : [...opened, name]);
    const last = visible.at(-1);
    if (split.hidden.length > 0 && last)
      feet.set(last.id, <More hidden={split.hidden} isOpen={isOpen} onToggle={toggle} />);
    return visible;
  });
  return {
    isShown: (room: ListedSensor): boolean => shown.includes(room),
    footOf: ({ id }: ListedSensor): ReactNode => feet.get(id) ?? null,
  };
};
