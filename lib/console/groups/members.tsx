import { Button, Group, Pagination, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { RoomState } from '../overview/room-state.tsx';
import { useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { SensorSelect, useSensor } from '../ui/sensor-select.tsx';

/** Sensors per page. Each name takes a separate request, and a group can have 1,000 sensors. */
const PER_PAGE = 20;

type MemberProps = { sensorId: string; onTakeOut: (() => void) | null };
const Member = ({ sensorId, onTakeOut }: MemberProps) => {
  const { groups: texts } = useTexts();
  const name = useSensor(sensorId).data?.name ?? sensorId;
  return (
    <Table.Tr>
      <Table.Td>
        <NameLink href={`/sensors/${sensorId}`}>{name}</NameLink>
      </Table.Td>
      <Table.Td>
        <RoomState sensorId={sensorId} />
      </Table.Td>
      <Table.Td ta="right">
        {onTakeOut && (
          <Button variant="default" size="xs" onClick={onTakeOut} aria-label={`${texts.takeOut}: ${name}`}>
            {texts.takeOut}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
};

type MembersProps = {
  customerId: number;
  sensorIds: readonly string[];
  /** Called with the changed list; null when the list is read-only. */
  onChange: ((sensorIds: string[]) => void) | null;
};

/** Lists the sensors in a group, and lets the user add and remove sensors. */
export const Members = ({ customerId, sensorIds, onChange }: MembersProps) => {
  const { groups: texts, pageOf } = useTexts();
  const [page, setPage] = useState(1);
  const count = Math.max(1, Math.ceil(sensorIds.length / PER_PAGE));
  const at = Math.min(page, count);
  const shown = sensorIds.slice((at - 1) * PER_PAGE, at * PER_PAGE);
  const takeOutOf = (sensorId: string) => onChange && (() => onChange(sensorIds.filter((id) => id !== sensorId)));
  return (
    <Stack>
      {onChange && (
        <SensorSelect
          label={texts.add}
          placeholder={texts.search}
          customerId={customerId}
          value={null}
          without={sensorIds}
          onChange={(id) => id !== null && onChange([id, ...sensorIds])}
        />
      )}
      {onChange && <Text size="sm">{texts.moves}</Text>}
      {sensorIds.length === 0 && <Text>{texts.none}</Text>}
      <Table aria-label={texts.sensors}>
        <Table.Tbody>
          {shown.map((id) => (
            <Member key={id} sensorId={id} onTakeOut={takeOutOf(id)} />
          ))}
        </Table.Tbody>
      </Table>
      {count > 1 && (
        <Group>
          <Pagination
            total={count}
            value={at}
            onChange={setPage}
            withControls={false}
            getItemProps={(page) => ({ 'aria-label': pageOf(page, count) })}
          />
        </Group>
      )}
    </Stack>
  );
};
