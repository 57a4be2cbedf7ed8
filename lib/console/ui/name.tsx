import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

/** A name entered by a user, in any script. It does not affect the text direction around it, and can break anywhere. */
export const Name = ({ children }: { children: string }) => <bdi className="name">{children}</bdi>;

/** A name entered by a user, as a link. */
export const NameLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} fw={600} inherit>
    <Name>{children}</Name>
  </Anchor>
);
