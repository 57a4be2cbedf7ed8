import { Anchor, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTitle } from './title.ts';

type HeadProps = {
  title: string;
  /** The link to the parent page. */
  back?: { href: string; label: string };
  /** The page buttons. */
  children?: ReactNode;
};

/** A page head: back link, title, and buttons. It also sets the browser tab title. */
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
