import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

type FormProps = {
  /** The submit button label. */
  action: string;
  isPending: boolean;
  /** Whether the form cannot be submitted. The form itself says why. */
  isDisabled?: boolean;
  /** Called with the submitted form; field-values.ts reads the fields. */
  onSubmit: (form: HTMLFormElement) => void;
  /** Shown beside the submit button. */
  extra?: ReactNode;
  /** Whether the form is the only content on the page, so that the button is as wide as the fields. */
  isAlone?: boolean;
  className?: string;
  children: ReactNode;
};

/** A form with the fields in a column, and a submit button below. */
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
