import { Stack, TextInput, Title } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { SensorGroup, SensorGroupUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { useCan } from '../session/session.tsx';
import { ReadOnly } from '../shell/refused.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { useEditQuery } from '../ui/edit-query.ts';
import { Form } from '../ui/form.tsx';
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
  const isAllowed = useCan()('manage_sensors');
  const [draft, change] = useDraft<SensorGroupUpdate>({
    name: group?.name ?? '',
    sensorIds: group?.sensorIds ?? [],
  });
  const save = useSave(group, customerId);
  const field = fieldsOf(draft, change, save.error);
  const fields = (
    <>
      <Title order={2} size="h3">
        {texts.sensors}
      </Title>
      <Members
        customerId={customerId}
        sensorIds={draft.sensorIds}
        onChange={isAllowed ? (sensorIds) => change({ sensorIds }) : null}
      />
    </>
  );
  return (
    <>
      <Head title={group?.name ?? texts.create} back={{ href: '/groups', label: texts.title }}>
        {group && <AuditLink kind="sensor_group" id={group.id} />}
        {group && isAllowed && <Remove group={group} />}
      </Head>
      {isAllowed ? (
        <Form action={label} isPending={save.isPending} onSubmit={() => save.mutate(draft)} className="narrow">
          <TextInput label={setup.name} required maxLength={64} {...field.text('name')} />
          {fields}
        </Form>
      ) : (
        <Stack className="narrow">
          <ReadOnly needs="manage_sensors" />
          {fields}
        </Stack>
      )}
    </>
  );
};

const Existing = ({ groupId }: { groupId: number }) => {
  const group = useEditQuery(['group', groupId], () => ok(api.GET('/sensor-groups/{groupId}', pathOf(groupId))));
  return <Loaded query={group}>{(found) => <Editor group={found} customerId={found.customerId} />}</Loaded>;
};

export const GroupPage = () => {
  const { groupId = '' } = useParams();
  if (groupId === 'new')
    return <WithCustomer>{(customerId) => <Editor group={null} customerId={customerId} />}</WithCustomer>;
  return <Existing key={groupId} groupId={Number(groupId)} />;
};
