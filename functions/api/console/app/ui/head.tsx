import { Anchor, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTitle } from './title.ts';

type HeadProps = {
  title: string;
  /** The list that the page is one of. */
  back?: { href: string; label: string };
  /** What can be done here. */
  children?: ReactNode;
};

/** The head of a page: where it belongs, what it is, and what can be done; names the tab of the browser, too. */
export const Head = ({ title, back, children }: HeadProps) => {
  useTitle(title);
  return (
    <>
      {back && (
        <Anchor component={Link} href={back.href} size="sm">
          {`← ${back.label}`}
        </Anchor>
      )}
      <Group justify="space-between" mb="lg">
        <Title order={1} className="name">
          <bdi>{title}</bdi>
        </Title>
        <Group gap="sm">{children}</Group>
      </Group>
    </>
  );
};
