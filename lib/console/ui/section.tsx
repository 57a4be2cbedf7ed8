import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type SectionProps = { title: string; className?: string; children: ReactNode };

/** A framed part of a page, with a title. */
export const Section = ({ title, className, children }: SectionProps) => (
  <Paper component="section" aria-label={title} withBorder p="md" {...(className !== undefined && { className })}>
    <Title order={2} size="h3" mb="md">
      {title}
    </Title>
    {children}
  </Paper>
);
