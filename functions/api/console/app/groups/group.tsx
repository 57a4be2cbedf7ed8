import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SensorGroup, SensorGroupUpdate } from 'openapi';
import type { FormEvent } from 'react';
import { useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useMay } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Members } from './members.tsx';

const pathOf = (groupId: number) => ({ params: { path: { groupId } } });
const refresh = [['groups'], ['group']];

const useSave = (group: SensorGroup | null, customerId: number) => {
  const { setup } = useTexts();
  const [, go] = useLocation();
  return useWrite({
    send: (body: SensorGroupUpdate) =>
      group
        ? ok(api.PUT('/sensor-groups/{groupId}', { ...pathOf(group.id), body }))
        : ok(api.POST('/sensor-groups', { body: { ...body, customerId } })),
    done: setup.saved,
    refresh,
    onDone: () => go('/groups'),
  });
};

const Remove = ({ group: { id, name } }: { group: SensorGroup }) => {
  const { groups: texts } = useTexts();
  const [, go] = useLocation();
  return (
    <DeleteButton
      name={name}
      text={texts.deleteText}
      send={() => ok(api.DELETE('/sensor-groups/{groupId}', pathOf(id)))}
      refresh={[['groups']]}
      onDone={() => go('/groups')}
    />
  );
};

const Editor = ({ group, customerId }: { group: SensorGroup | null; customerId: number }) => {
  const { groups: texts, setup, save: label } = useTexts();
  const isAllowed = useMay()('manage_sensors');
  const [draft, change] = useDraft<SensorGroupUpdate>({
    name: group?.name ?? '',
    sensorIds: group?.sensorIds ?? [],
  });
  const save = useSave(group, customerId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft);
  };
  return (
    <>
      <Head title={group?.name ?? texts.create} back={{ href: '/groups', label: texts.title }}>
        {group && isAllowed && <Remove group={group} />}
      </Head>
      <form onSubmit={submit} className="narrow">
        <Stack>
          {isAllowed ? (
            <TextInput
              label={setup.name}
              required
              maxLength={64}
              value={draft.name}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              error={faultOf(save.error, 'name')}
            />
          ) : (
            <Text>{setup.readOnly}</Text>
          )}
          <Title order={2} size="h3">
            {texts.sensors}
          </Title>
          <Members
            customerId={customerId}
            sensorIds={draft.sensorIds}
            onChange={isAllowed ? (sensorIds) => change({ sensorIds }) : null}
          />
          {isAllowed && (
            <Group>
              <Button type="submit" loading={save.isPending}>
                {label}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </>
  );
};

const Existing = ({ groupId }: { groupId: number }) => {
  const group = useQuery({
    queryKey: ['group', groupId],
    queryFn: () => ok(api.GET('/sensor-groups/{groupId}', pathOf(groupId))),
    // What somebody edits does not change under their hands, and is what is there now.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return <Loaded query={group}>{(found) => <Editor group={found} customerId={found.customerId} />}</Loaded>;
};

export const GroupPage = () => {
  const { groupId = '' } = useParams();
  if (groupId === 'new')
    return <OfCustomer>{(customerId) => <Editor group={null} customerId={customerId} />}</OfCustomer>;
  return <Existing key={groupId} groupId={Number(groupId)} />;
};
