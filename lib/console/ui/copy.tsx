import { Button, CopyButton as MantineCopyButton } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';

/** A button that copies text, and confirms that it did. */
export const CopyButton = ({ text }: { text: string }) => {
  const texts = useTexts();
  return (
    <MantineCopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="xs" onClick={copy} aria-live="polite">
          {copied ? texts.copied : texts.copy}
        </Button>
      )}
    </MantineCopyButton>
  );
};
