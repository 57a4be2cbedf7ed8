import { Badge, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Firmware } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { NewFirmwareForm } from './new-firmware.tsx';
import { useAdminTexts } from './texts.ts';

type Maker = Firmware['manufacturer'];

const Actions = ({ firmware: { manufacturer, versionCode, versionName, isDefault } }: { firmware: Firmware }) => {
  const texts = useAdminTexts();
  const params = { path: { manufacturer, versionCode } };
  const choose = useWrite({
    send: () => ok(api.PUT('/firmwares/{manufacturer}/{versionCode}/default', { params })),
    done: texts.madeDefault,
    refresh: [['firmwares']],
  });
  if (isDefault) return <Badge variant="light">{texts.isDefault}</Badge>;
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={() => choose.mutate()} loading={choose.isPending}>
        {texts.makeDefault}
      </Button>
      <DeleteButton
        size="xs"
        name={versionName}
        text={texts.deleteFirmware}
        send={() => ok(api.DELETE('/firmwares/{manufacturer}/{versionCode}', { params }))}
        refresh={[['firmwares']]}
      />
    </Group>
  );
};

const Firmwares = ({ manufacturer }: { manufacturer: Maker }) => {
  const texts = useAdminTexts();
  const { setup, titles } = useTexts();
  const dates = useDates();
  const firmwares = useQuery({
    queryKey: ['firmwares', manufacturer],
    queryFn: () => ok(api.GET('/firmwares/{manufacturer}', { params: { path: { manufacturer } } })),
  });
  return (
    <List<Firmware>
      label={titles.firmwares}
      query={firmwares}
      rowKey={({ versionCode }) => versionCode}
      empty={texts.noFirmwares}
      columns={[
        { head: texts.version, cell: ({ versionName }) => <Name>{versionName}</Name> },
        { head: texts.versionCode, cell: ({ versionCode }) => versionCode, isMinor: true },
        { head: texts.built, cell: ({ buildDate }) => dates.dateTime(buildDate), isMinor: true },
        { head: setup.actions, cell: (firmware) => <Actions firmware={firmware} /> },
      ]}
    />
  );
};

export const FirmwaresPage = () => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  const [maker, setMaker] = useState<Maker>('maker_a');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Head title={titles.firmwares}>
        <AuditLink kind="firmware" isNoCustomer />
        <Button onClick={() => setOpen(true)}>{texts.newFirmware}</Button>
      </Head>
      <Stack>
        <div className="narrow">
          <Choice label={texts.maker} options={texts.makers} value={maker} onChange={setMaker} />
        </div>
        <Firmwares manufacturer={maker} />
      </Stack>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={`${texts.newFirmware}: ${texts.makers[maker]}`}>
        <NewFirmwareForm manufacturer={maker} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
};
