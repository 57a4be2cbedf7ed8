import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

type FormProps = {
  /** The label of the submit button. */
  action: string;
  isPending: boolean;
  /** Is called with the form element when it is submitted; entered.ts reads its fields. */
  onSubmit: (form: HTMLFormElement) => void;
  /** Is shown beside the submit button. */
  more?: ReactNode;
  /** Is the form the only content of the page? Then its button is as wide as its fields. */
  isAlone?: boolean;
  className?: string;
  children: ReactNode;
};

/** A form with its fields in a column, and the submit button below. */
export const Form = ({ action, isPending, onSubmit, more, isAlone = false, className = '', children }: FormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <form onSubmit={submit} className={className}>
      <Stack>
        {children}
        <Group grow={isAlone}>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
          {more}
        </Group>
      </Stack>
    </form>
  );
};
