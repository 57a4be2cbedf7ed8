import type { ReactNode } from 'react';

type PanelProps = {
  title: string;
  id?: string;
  /** Whether it shows what is not watched. */
  isGap?: boolean;
  children: ReactNode;
};

/** A part of a page, on a card with a title. */
export const Panel = ({ title, id, isGap = false, children }: PanelProps) => (
  <section aria-label={title} className={isGap ? 'panel gaps' : 'panel'} id={id}>
    <h2>{title}</h2>
    {children}
  </section>
);
