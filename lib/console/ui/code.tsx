import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy.tsx';

type CodeProps = {
  label: string;
  /** What the button copies, if not the text itself. */
  copied?: string;
  children: string;
};

/** Shows code or data verbatim, with a button to copy it. */
export const Code = ({ label, children, copied = children }: CodeProps) => (
  <section aria-label={label}>
    <Group justify="space-between" mb={4}>
      <Text fw={600} size="sm">
        {label}
      </Text>
      <CopyButton text={copied} />
    </Group>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by the keyboard */}
    <pre className="code" tabIndex={0}>
      {children}
    </pre>
  </section>
);
