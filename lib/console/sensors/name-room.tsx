import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useGroups } from '../groups/query.ts';
import { roomNameOf } from '../overview/room-name.ts';
import { useTexts } from '../texts/texts.tsx';
import { Form } from '../ui/form.tsx';
import type { LinkedSensor } from './link.tsx';

type Named = { name: string; groupId: number | null };

/** Sets the sensor name, which is part of the basic configuration. All other fields stay unchanged. */
const rename = async ({ id: sensorId, manufacturer }: LinkedSensor, name: string): Promise<void> => {
  const params = { path: { sensorId } };
  if (manufacturer === 'maker_a') {
    const path = '/sensors/{sensorId}/maker_a/config/basic';
    await ok(api.PUT(path, { params, body: { ...(await ok(api.GET(path, { params }))), name } }));
  } else {
    const path = '/sensors/{sensorId}/maker_b/config/basic';
    await ok(api.PUT(path, { params, body: { ...(await ok(api.GET(path, { params }))), name } }));
  }
};

const joinGroup = async (groupId: number, sensorId: string): Promise<void> => {
  const params = { path: { groupId } };
  const { name, sensorIds } = await ok(api.GET('/sensor-groups/{groupId}', { params }));
  if (sensorIds.includes(sensorId)) return;
  await ok(api.PUT('/sensor-groups/{groupId}', { params, body: { name, sensorIds: [...sensorIds, sensorId] } }));
};

/** A preview of how an alarm shows a name: the number in large type, or else the whole name. */
const Preview = ({ name }: { name: string }) => {
  const { sensors: texts } = useTexts();
  const { number, word, rest } = roomNameOf(name);
  return (
    <div className="name-preview" role="img" aria-label={texts.preview}>
      {number !== null && <span>{word}</span>}
      <b>{number ?? (name || '…')}</b>
      {number !== null && <span>{rest}</span>}
    </div>
  );
};

/** A form to name the room of a newly linked sensor, and to choose the group. */
export const NameRoom = ({ sensor, onDone }: { sensor: LinkedSensor; onDone: () => void }) => {
  const { sensors: texts, groups: groupTexts, save: label } = useTexts();
  const { data: groups = [] } = useGroups(sensor.customerId ?? 0);
  const [name, setName] = useState('');
  const [groupId, setGroupId] = useState('');
  const save = useWrite({
    send: async (named: Named) => {
      await rename(sensor, named.name);
      if (named.groupId !== null) await joinGroup(named.groupId, sensor.id);
    },
    done: texts.named,
    refresh: [['sensors'], ['sensor'], ['groups']],
    onDone,
  });
  const submit = () => save.mutate({ name: name.trim(), groupId: groupId === '' ? null : Number(groupId) });
  return (
    <Form
      action={label}
      isPending={save.isPending}
      onSubmit={submit}
      extra={
        <Button variant="default" onClick={onDone}>
          {texts.nameLater}
        </Button>
      }
    >
      <Text size="sm">{texts.nameHint}</Text>
      <TextInput
        label={texts.roomName}
        placeholder={texts.roomExample}
        required
        maxLength={64}
        value={name}
        error={faultOf(save.error, 'name')}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {groups.length > 0 && (
        <NativeSelect
          label={groupTexts.one}
          value={groupId}
          data={[
            { value: '', label: texts.noGroup },
            ...groups.map(({ id, name: label }) => ({ value: String(id), label })),
          ]}
          onChange={({ currentTarget }) => setGroupId(currentTarget.value)}
        />
      )}
      <Preview name={name} />
    </Form>
  );
};
