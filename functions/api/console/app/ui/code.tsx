import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy.tsx';

/** A text for machines, as it is, to read and to copy. */
export const Code = ({ label, children }: { label: string; children: string }) => (
  <section aria-label={label}>
    <Group justify="space-between" mb={4}>
      <Text fw={600} size="sm">
        {label}
      </Text>
      <CopyButton text={children} />
    </Group>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by the keyboard */}
    <pre className="code" tabIndex={0}>
      {children}
    </pre>
  </section>
);
