import { Button, Group, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Dialog } from './dialog.tsx';

type Question = {
  title: string;
  text: string;
  /** The label of the confirm button. */
  action: string;
};
type Ask = (question: Question) => Promise<boolean>;

const Confirm = createContext<Ask>(async () => false);

/**
 * Returns a function that asks the user to confirm an irreversible action: `if (await confirm({ title, text, action }))
 * ...`.
 */
export const useConfirm = (): Ask => use(Confirm);

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const texts = useTexts();
  const [pending, setPending] = useState<(Question & { answer: (yes: boolean) => void }) | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setPending({ ...question, answer })), []);
  const answer = (yes: boolean): void => {
    pending?.answer(yes);
    setPending(null);
  };
  return (
    <Confirm value={ask}>
      {children}
      <Dialog opened={pending !== null} onClose={() => answer(false)} title={pending?.title}>
        <Text mb="lg">{pending?.text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(false)}>
            {texts.cancel}
          </Button>
          <Button onClick={() => answer(true)}>{pending?.action}</Button>
        </Group>
      </Dialog>
    </Confirm>
  );
};
