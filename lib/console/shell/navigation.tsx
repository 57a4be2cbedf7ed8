import { Bars3Icon } from '@heroicons/react/24/outline';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { type NavigationGroup, navigationGroups, pages } from '../routes.tsx';
import { SearchButton } from '../search/search-button.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Sign } from '../ui/sign.tsx';
import { CustomerSelect } from './customer.tsx';

/** Returns the navigation entries the user may open. */
export const useEntries = () => {
  const texts = useTexts();
  const me = useMe();
  const can = useCan();
  const [location] = useLocation();
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return pages.flatMap(({ path, needs, entry, display }) =>
    entry && can(needs) && (!me.display || display)
      ? [{ ...entry, path, label: entry.label(texts, me), current: isHere(path) ? ('page' as const) : undefined }]
      : [],
  );
};
type Entry = ReturnType<typeof useEntries>[number];

const EntryLink = ({ entry: { path, label, current, icon: Icon }, count }: { entry: Entry; count: number }) => (
  <Link href={path} aria-current={current}>
    <Icon className="icon" />
    <span>{label}</span>
    {path === '/' && count > 0 && <span className="count">{count}</span>}
  </Link>
);

const Group = ({ group, entries, count }: { group: NavigationGroup; entries: readonly Entry[]; count: number }) => {
  const { navigation } = useTexts();
  const ofGroup = entries.filter((entry) => entry.group === group);
  if (ofGroup.length === 0) return null;
  return (
    <div className="nav-group" role="group" aria-label={navigation[group]}>
      <p>{navigation[group]}</p>
      {ofGroup.map((entry) => (
        <EntryLink key={entry.path} entry={entry} count={count} />
      ))}
    </div>
  );
};

/**
 * The navigation: all pages in groups, at the side. On phones it is behind "More", and the pages needed at night are
 * tabs at the bottom. `count` is the number of open alarms.
 */
export const Navigation = ({ count }: { count: number }): ReactNode => {
  const texts = useTexts();
  const entries = useEntries();
  const [isOpen, more] = useDisclosure(false);
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the user goes to another page
  useEffect(more.close, [location]);
  return (
    <>
      <nav className={isOpen ? 'nav open' : 'nav'} id="pages" aria-label={texts.pages}>
        <div className="brand">
          <Sign />
          <span>{texts.console}</span>
        </div>
        <CustomerSelect />
        <SearchButton />
        {navigationGroups.map((group) => (
          <Group key={group} group={group} entries={entries} count={count} />
        ))}
      </nav>
      <nav className="phone-tabs" aria-label={texts.tabs}>
        {entries
          .filter(({ tab }) => tab !== undefined)
          .toSorted((a, b) => (a.tab ?? 0) - (b.tab ?? 0))
          .map((entry) => (
            <EntryLink key={entry.path} entry={entry} count={count} />
          ))}
        <button type="button" onClick={more.toggle} aria-expanded={isOpen} aria-controls="pages">
          <Bars3Icon className="icon" />
          {texts.more}
        </button>
      </nav>
    </>
  );
};
