import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { ProvisioningKey } from '#openapi';
import { api } from '../api/client.ts';
import { AuditLink } from '../audit/link.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { Secret } from '../ui/secret.tsx';
import { NewKey } from './new-key.tsx';
import { useAdminTexts } from './texts.ts';

const Keys = () => {
  const texts = useAdminTexts();
  const { setup, never, titles } = useTexts();
  const dates = useDates();
  const keys = useQuery({ queryKey: ['provisioning keys'], queryFn: () => ok(api.GET('/provisioning-keys')) });
  return (
    <List<ProvisioningKey>
      label={titles.provisioningKeys}
      query={keys}
      rowKey={({ id }) => id}
      empty={texts.noKeys}
      columns={[
        { head: setup.name, cell: ({ name }) => <Name>{name}</Name> },
        {
          head: texts.maker,
          cell: ({ manufacturer }) => (manufacturer === null ? texts.bothMakers : texts.makers[manufacturer]),
        },
        {
          head: texts.devices,
          cell: ({ devices, maxDevices }) =>
            maxDevices === null ? dates.number(devices) : `${dates.number(devices)} / ${dates.number(maxDevices)}`,
        },
        {
          head: texts.lastUsed,
          cell: ({ lastUsed }) => (lastUsed === null ? never : dates.dateTime(lastUsed)),
          isMinor: true,
        },
        {
          head: texts.expires,
          cell: ({ expires }) => (expires === null ? never : dates.dateTime(expires)),
          isMinor: true,
        },
        { head: setup.actions, cell: (key) => <Remove provisioningKey={key} /> },
      ]}
    />
  );
};

const Remove = ({ provisioningKey: { id: keyId, name } }: { provisioningKey: ProvisioningKey }) => {
  const texts = useAdminTexts();
  return (
    <DeleteButton
      size="xs"
      name={name}
      text={texts.deleteKey}
      send={() => ok(api.DELETE('/provisioning-keys/{keyId}', { params: { path: { keyId } } }))}
      refresh={[['provisioning keys']]}
    />
  );
};

export const KeysPage = () => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const [createdKey, setCreatedKey] = useState<string | null>(null);
  return (
    <>
      <Head title={titles.provisioningKeys}>
        <AuditLink kind="provisioning_key" isNoCustomer />
        <Button onClick={() => setOpen(true)}>{texts.newKey}</Button>
      </Head>
      <Stack>
        <Text>{texts.keysExplain}</Text>
        {createdKey !== null && <Secret title={texts.key}>{createdKey}</Secret>}
        <Keys />
      </Stack>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.newKey}>
        <NewKey
          onCreated={(key) => {
            setCreatedKey(key);
            setOpen(false);
          }}
        />
      </Dialog>
    </>
  );
};
