import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { useHotkeys } from '@mantine/hooks';
import { createContext, lazy, type ReactNode, Suspense, use, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { loadFile } from '../ui/not-loaded.ts';
import './search.css';

const Dialog = lazy(async () => ({ default: (await loadFile(import('../lazy-pages.ts'))).SearchDialog }));

const Open = createContext(() => {});

/** Opens the search by Ctrl K, or by a button inside. Its code is loaded when it is first opened. */
export const SearchProvider = ({ children }: { children: ReactNode }) => {
  const [times, setTimes] = useState(0);
  const open = () => setTimes((before) => before + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <Open value={open}>
      {children}
      {times > 0 && (
        <Boundary of={String(times)}>
          <Suspense>
            <Dialog times={times} />
          </Suspense>
        </Boundary>
      )}
    </Open>
  );
};

const keys = /mac|iphone|ipad/iu.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** The button that opens the search. */
export const SearchButton = () => {
  const { search } = useTexts();
  return (
    <button
      type="button"
      className="quiet find"
      onClick={use(Open)}
      aria-keyshortcuts="Control+K Meta+K"
      title={search}
    >
      <MagnifyingGlassIcon className="icon" />
      <span>{search}</span>
      <kbd aria-hidden>{keys}</kbd>
    </button>
  );
};
