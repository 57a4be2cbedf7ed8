import { NumberInput, Switch, TextInput } from '@mantine/core';
import { ok } from '#lib/client/problem.ts';
import type { Firmware, FirmwareCreation } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import { useAdminTexts } from './texts.ts';

type FormProps = { manufacturer: Firmware['manufacturer']; onDone: () => void };

export const NewFirmwareForm = ({ manufacturer, onDone }: FormProps) => {
  const texts = useAdminTexts();
  const { setup, create: label } = useTexts();
  const [draft, change] = useDraft<FirmwareCreation>({
    versionCode: 1,
    versionName: '',
    buildDate: Date.now(),
    isDefault: false,
  });
  const create = useWrite({
    send: () => ok(api.POST('/firmwares/{manufacturer}', { params: { path: { manufacturer } }, body: draft })),
    done: setup.saved,
    refresh: [['firmwares']],
    onDone,
  });
  const field = fieldsOf(draft, change, create.error);
  return (
    <Form action={label} isPending={create.isPending} onSubmit={() => create.mutate()}>
      <NumberInput
        label={texts.versionCode}
        description={texts.versionCodeHint}
        required
        min={1}
        {...field.number('versionCode')}
      />
      <TextInput label={texts.version} required maxLength={64} placeholder="v0.42" {...field.text('versionName')} />
      <TimeInput
        label={texts.built}
        value={draft.buildDate}
        onChange={(time) => time !== null && change({ buildDate: time })}
      />
      <Switch label={texts.isDefault} {...field.check('isDefault')} />
    </Form>
  );
};
