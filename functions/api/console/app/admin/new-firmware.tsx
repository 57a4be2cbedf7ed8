import { Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import type { Firmware, NewFirmware } from 'openapi';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { useDraft } from '../ui/draft.ts';
import { TimeInput } from '../ui/time-input.tsx';

type FormProps = { manufacturer: Firmware['manufacturer']; onDone: () => void };

/** Makes a firmware known. */
export const NewFirmwareForm = ({ manufacturer, onDone }: FormProps) => {
  const { admin: texts, setup, create: label } = useTexts();
  const [draft, change] = useDraft<NewFirmware>({
    ...{ versionCode: 1, versionName: '', buildDate: Date.now(), isDefault: false },
  });
  const create = useWrite({
    send: () => ok(api.POST('/firmwares/{manufacturer}', { params: { path: { manufacturer } }, body: draft })),
    done: setup.saved,
    refresh: [['firmwares']],
    onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <NumberInput
          label={texts.versionCode}
          description={texts.versionCodeHint}
          required
          min={1}
          allowDecimal={false}
          value={draft.versionCode}
          onChange={(code) => change({ versionCode: Number(code) })}
          error={faultOf(create.error, 'versionCode')}
        />
        <TextInput
          label={texts.version}
          required
          maxLength={64}
          placeholder="v0.42"
          value={draft.versionName}
          onChange={({ currentTarget }) => change({ versionName: currentTarget.value })}
          error={faultOf(create.error, 'versionName')}
        />
        <TimeInput
          label={texts.built}
          value={draft.buildDate}
          onChange={(time) => time !== null && change({ buildDate: time })}
        />
        <Switch
          label={texts.isDefault}
          checked={draft.isDefault}
          onChange={({ currentTarget }) => change({ isDefault: currentTarget.checked })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
