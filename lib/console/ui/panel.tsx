import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

type PanelProps = {
  title: string;
  id?: string;
  /** Whether the panel shows what is not watched. */
  isGap?: boolean;
  /** A link to more details. */
  link?: { href: string; text: string } | undefined;
  children: ReactNode;
};

/** A part of a page, on a card with a title. */
export const Panel = ({ title, id, isGap = false, link, children }: PanelProps) => (
  <section aria-label={title} className={isGap ? 'panel gaps' : 'panel'} id={id}>
    <h2>
      {title}
      {link && (
        <Anchor component={Link} href={link.href} className="panel-link">
          {link.text}
        </Anchor>
      )}
    </h2>
    {children}
  </section>
);
