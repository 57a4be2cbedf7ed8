import { Alert, Group, Text } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';
import { CopyButton } from './copy.tsx';

/** Shows a secret that is not shown again, with a button to copy it. */
export const Secret = ({ title, children }: { title: string; children: string }) => {
  const { setup: texts } = useTexts();
  return (
    <Alert color="yellow" title={title} role="status">
      <Text size="sm" mb="xs">
        {texts.shownOnce}
      </Text>
      <Group>
        <Text ff="monospace" className="name" data-secret>
          {children}
        </Text>
        <CopyButton text={children} />
      </Group>
    </Alert>
  );
};
