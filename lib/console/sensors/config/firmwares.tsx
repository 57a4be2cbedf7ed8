import { Badge, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '#lib/console/api/client.ts';
import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { type Column, List } from '#lib/console/ui/list.tsx';
import type { Firmware, Sensor } from '#openapi';

const useColumns = (installed: number): Column<Firmware>[] => {
  const { config: texts } = useTexts().sensor;
  const dates = useDates();
  return [
    { head: texts.version, cell: ({ versionCode }) => versionCode },
    { head: texts.versionName, cell: ({ versionName }) => versionName },
    { head: texts.built, cell: ({ buildDate }) => dates.day(buildDate), isMinor: true },
    {
      head: texts.use,
      cell: ({ versionCode, isDefault }) => (
        <Group gap="xs">
          {isDefault && <Badge>{texts.isDefault}</Badge>}
          {versionCode === installed && <Badge color="green">{texts.installed}</Badge>}
        </Group>
      ),
    },
  ];
};

/** Lists the manufacturer's firmware, and marks the installed and default versions. */
export const Firmwares = ({ sensor: { manufacturer, firmwareVersion } }: { sensor: Sensor }) => {
  const { config: texts } = useTexts().sensor;
  const params = { path: { manufacturer } };
  const firmwares = useQuery({
    queryKey: ['firmwares', manufacturer],
    queryFn: () => ok(api.GET('/firmwares/{manufacturer}', { params })),
  });
  return (
    <section aria-label={texts.known}>
      <Title order={2} size="h4" mb="xs">
        {texts.known}
      </Title>
      <List
        label={texts.known}
        query={firmwares}
        columns={useColumns(firmwareVersion)}
        rowKey={({ versionCode }) => versionCode}
        empty={texts.noFirmware}
      />
    </section>
  );
};
