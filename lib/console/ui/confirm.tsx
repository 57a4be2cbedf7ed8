import { Button, Group, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Dialog } from './dialog.tsx';

type Question = {
  title: string;
  text: string;
  /** The label of the button that confirms. */
  action: string;
};
type Ask = (question: Question) => Promise<boolean>;

const Confirm = createContext<Ask>(async () => false);

/** Returns a function that asks the user to confirm an irreversible action: `if (await confirm({ title, text, action })) ...`. */
export const useConfirm = (): Ask => use(Confirm);

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const texts = useTexts();
  const [asked, setAsked] = useState<(Question & { answer: (yes: boolean) => void }) | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setAsked({ ...question, answer })), []);
  const answer = (yes: boolean): void => {
    asked?.answer(yes);
    setAsked(null);
  };
  return (
    <Confirm value={ask}>
      {children}
      <Dialog opened={asked !== null} onClose={() => answer(false)} title={asked?.title}>
        <Text mb="lg">{asked?.text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(false)}>
            {texts.cancel}
          </Button>
          <Button color="red" onClick={() => answer(true)}>
            {asked?.action}
          </Button>
        </Group>
      </Dialog>
    </Confirm>
  );
};
