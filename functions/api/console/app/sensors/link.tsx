import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { Link } from 'openapi';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldsOf } from '../ui/form.ts';

/** Links a sensor to the customer of the user, by its pairing code. */
export const LinkForm = ({ onDone }: { onDone: () => void }) => {
  const { sensors: texts } = useTexts();
  const write = useWrite({
    send: (body: Link) => ok(api.POST('/sensors/link', { body })),
    done: texts.linked,
    refresh: [['sensors']],
    onDone,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { manufacturer, code } = fieldsOf(event.currentTarget, 'manufacturer', 'code');
    write.mutate({ manufacturer: manufacturer === 'maker_b' ? 'maker_b' : 'maker_a', code });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
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
        <Button type="submit" loading={write.isPending}>
          {texts.link}
        </Button>
      </Stack>
    </form>
  );
};
