import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

/**
 * A name that a user gave, in any script. It does not change the order of the words around it, and may break
 * anywhere.
 */
export const Name = ({ children }: { children: string }) => <bdi className="name">{children}</bdi>;

/** A name that a user gave, as a link to its page. */
export const NameLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} fw={600} inherit>
    <Name>{children}</Name>
  </Anchor>
);
