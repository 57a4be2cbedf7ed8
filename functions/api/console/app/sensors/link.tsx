import { NativeSelect, TextInput } from '@mantine/core';
import type { Link } from 'openapi';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { entered } from '../ui/entered.ts';
import { Form } from '../ui/form.tsx';

/** A form that links a sensor to the user's customer by its pairing code. */
export const LinkForm = ({ onDone }: { onDone: () => void }) => {
  const { sensors: texts } = useTexts();
  const write = useWrite({
    send: (body: Link) => ok(api.POST('/sensors/link', { body })),
    done: texts.linked,
    refresh: [['sensors']],
    onDone,
  });
  const submit = (form: HTMLFormElement) => {
    const { manufacturer, code } = entered(form, 'manufacturer', 'code');
    write.mutate({ manufacturer: manufacturer === 'maker_b' ? 'maker_b' : 'maker_a', code });
  };
  return (
    <Form action={texts.link} isPending={write.isPending} onSubmit={submit}>
      <NativeSelect
        name="manufacturer"
        label={texts.maker}
        data={Object.entries(texts.makers).map(([value, label]) => ({ value, label }))}
      />
      <TextInput
        name="code"
        label={texts.code}
        description={texts.codeHint}
        minLength={8}
        maxLength={8}
        autoComplete="off"
        required
        error={faultOf(write.error, 'code')}
      />
    </Form>
  );
};
