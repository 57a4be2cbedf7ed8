import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

type FormProps = {
  /** The label of the submit button. */
  action: string;
  isPending: boolean;
  /** Whether the form cannot be submitted; its content says why. */
  isDisabled?: boolean;
  /** Called with the submitted form; field-values.ts reads its fields. */
  onSubmit: (form: HTMLFormElement) => void;
  /** Shown beside the submit button. */
  extra?: ReactNode;
  /** Whether the form is the only content of the page, so that its button is as wide as its fields. */
  isAlone?: boolean;
  className?: string;
  children: ReactNode;
};

/** A form with its fields in a column, and a submit button below. */
export const Form = ({
  action,
  isPending,
  isDisabled = false,
  onSubmit,
  extra,
  isAlone = false,
  className = '',
  children,
}: FormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <form onSubmit={submit} className={className}>
      <Stack>
        {children}
        <Group grow={isAlone}>
          <Button type="submit" loading={isPending} disabled={isDisabled}>
            {action}
          </Button>
          {extra}
        </Group>
      </Stack>
    </form>
  );
};
