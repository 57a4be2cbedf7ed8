import { Button, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { NewProvisioningKey } from 'openapi';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { useDraft } from '../ui/draft.ts';
import { TimeInput } from '../ui/time-input.tsx';

type Made = { onMade: (key: string) => void };

const useCreate = ({ onMade }: Made) => {
  const { setup } = useTexts();
  return useWrite({
    send: (body: NewProvisioningKey) => ok(api.POST('/provisioning-keys', { body })),
    done: setup.saved,
    refresh: [['provisioning keys']],
    onDone: ({ key }) => onMade(key),
  });
};

/** Creates a key; hands it over, for it is shown only once. */
export const NewKey = (made: Made) => {
  const { admin: texts, setup, create: label } = useTexts();
  const [draft, change] = useDraft<NewProvisioningKey>({
    ...{ name: '', manufacturer: 'maker_a', expires: null, maxDevices: null },
  });
  const create = useCreate(made);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(draft);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={setup.name}
          required
          maxLength={64}
          data-autofocus
          value={draft.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          error={faultOf(create.error, 'name')}
        />
        <Select
          label={texts.maker}
          data={Object.entries(texts.makers).map(([value, name]) => ({ value, label: name }))}
          value={draft.manufacturer}
          onChange={(one) => one && change({ manufacturer: one as NewProvisioningKey['manufacturer'] })}
          allowDeselect={false}
        />
        <TimeInput
          label={texts.expires}
          description={texts.forever}
          value={draft.expires}
          onChange={(expires) => change({ expires })}
        />
        <NumberInput
          label={texts.maxDevices}
          description={texts.unlimited}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          value={draft.maxDevices ?? ''}
          onChange={(most) => change({ maxDevices: most === '' ? null : Number(most) })}
          error={faultOf(create.error, 'maxDevices')}
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
