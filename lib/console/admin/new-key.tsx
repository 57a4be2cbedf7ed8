import { NumberInput, Select, TextInput } from '@mantine/core';
import { ok } from '#lib/client/problem.ts';
import type { ProvisioningKeyCreation } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import { useAdminTexts } from './texts.ts';

/** A form that creates a provisioning key. The API returns the key only once; `onCreated` receives it. */
export const NewKey = ({ onCreated }: { onCreated: (key: string) => void }) => {
  const texts = useAdminTexts();
  const { setup, create: label } = useTexts();
  const [draft, change] = useDraft<ProvisioningKeyCreation>({
    name: '',
    manufacturer: 'maker_a',
    expires: null,
    maxDevices: null,
  });
  const create = useWrite({
    send: (body: ProvisioningKeyCreation) => ok(api.POST('/provisioning-keys', { body })),
    done: setup.saved,
    refresh: [['provisioning keys']],
    onDone: ({ key }) => onCreated(key),
  });
  const field = fieldsOf(draft, change, create.error);
  return (
    <Form action={label} isPending={create.isPending} onSubmit={() => create.mutate(draft)}>
      <TextInput label={setup.name} required maxLength={64} data-autofocus {...field.text('name')} />
      <Select label={texts.maker} {...field.choice('manufacturer', texts.makers)} />
      <TimeInput
        label={texts.expires}
        description={texts.noExpiry}
        value={draft.expires}
        onChange={(expires) => change({ expires })}
      />
      <NumberInput
        label={texts.maxDevices}
        description={texts.unlimited}
        min={1}
        max={1_000_000}
        {...field.optionalNumber('maxDevices')}
      />
    </Form>
  );
};
