import { Button, type ButtonProps } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { useConfirm } from './confirm.tsx';

type DeleteProps = ButtonProps & {
  /** The name of what is deleted, and the consequences in a sentence. */
  name: string;
  text: string;
  send: () => Promise<unknown>;
  refresh: readonly QueryKey[];
  onDone?: () => void;
};

/** A button that deletes something after confirmation. */
export const DeleteButton = ({ name, text, send, refresh, onDone, ...button }: DeleteProps) => {
  const { setup, remove: label } = useTexts();
  const confirm = useConfirm();
  const remove = useWrite({ send, done: setup.deleted, refresh, ...(onDone && { onDone }) });
  const ask = async () => {
    if (await confirm({ title: setup.deleteTitle(name), text, action: label })) remove.mutate();
  };
  return (
    <Button variant="default" {...button} onClick={ask} loading={remove.isPending}>
      {label}
    </Button>
  );
};
