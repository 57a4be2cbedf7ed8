import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';

/** The maximum length (characters) of a rule name. */
const MAX_NAME = 64;

/** A button that copies a rule. It asks for a name, and opens the copy. */
export const CopyRule = ({ rule: { id: ruleId, name }, isInList = false }: { rule: Rule; isInList?: boolean }) => {
  const { rules: texts, setup } = useTexts();
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const copy = useWrite({
    send: (body: { name: string }) => ok(api.POST('/rules/{ruleId}/copies', { params: { path: { ruleId } }, body })),
    done: texts.copied,
    refresh: [['rules']],
    onDone: ({ id }) => {
      setOpen(false);
      go(`/rules/${id}`);
    },
  });
  return (
    <>
      <Button
        variant="default"
        onClick={() => setOpen(true)}
        {...(isInList && { size: 'xs', 'aria-label': `${texts.copy}: ${name}` })}
      >
        {texts.copy}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.copy}>
        <Form
          action={texts.copy}
          isPending={copy.isPending}
          onSubmit={(form) => copy.mutate(fieldValues(form, 'name'))}
        >
          <TextInput
            name="name"
            label={setup.name}
            required
            maxLength={MAX_NAME}
            defaultValue={texts.copyOf(name).slice(0, MAX_NAME)}
            error={faultOf(copy.error, 'name')}
          />
        </Form>
      </Dialog>
    </>
  );
};
