import { UserCircleIcon } from '@heroicons/react/24/outline';
import { Menu, useMantineColorScheme } from '@mantine/core';
import { Link } from 'wouter';
import { useLogout, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

const schemes = ['auto', 'light', 'dark'] as const;

/** The user menu: account, channels, theme and logout. */
export const AccountMenu = () => {
  const texts = useTexts();
  const { username, firstName, lastName, display } = useMe();
  const name = `${firstName} ${lastName}`.trim() || username;
  const logout = useLogout();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className="quiet account" aria-label={name}>
          <UserCircleIcon className="icon" />
          <bdi>{name}</bdi>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {!display && (
          <>
            <Menu.Item component={Link} href="/account">
              {texts.account.title}
            </Menu.Item>
            <Menu.Item component={Link} href="/account/channels">
              {texts.channels}
            </Menu.Item>
            <Menu.Divider />
          </>
        )}
        <Menu.Label>{texts.theme}</Menu.Label>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={scheme === colorScheme}
            rightSection={scheme === colorScheme ? '✓' : null}
            onClick={() => setColorScheme(scheme)}
          >
            {texts.themes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => logout.mutate()}>{texts.logOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
