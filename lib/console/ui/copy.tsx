import { Button, CopyButton as Copying } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';

/** A button that copies a text, and then says so. */
export const CopyButton = ({ text }: { text: string }) => {
  const texts = useTexts();
  return (
    <Copying value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="xs" onClick={copy} aria-live="polite">
          {copied ? texts.copied : texts.copy}
        </Button>
      )}
    </Copying>
  );
};
