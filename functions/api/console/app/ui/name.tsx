import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

/** A name that somebody gave, in whatever script: it leaves the order of the words around it alone, and breaks anywhere. */
export const Name = ({ children }: { children: string }) => <bdi className="name">{children}</bdi>;

/** The same, as a link to its page. */
export const NameLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} fw={600} inherit>
    <Name>{children}</Name>
  </Anchor>
);
