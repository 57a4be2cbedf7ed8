import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useEntries } from '../shell/navigation.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { loadFile } from '../ui/not-loaded.ts';
import { OpenSearch } from './search-button.tsx';

const Dialog = lazy(async () => ({ default: (await loadFile(import('../lazy-pages.ts'))).SearchDialog }));

/**
 * Lets users open the search with Ctrl+K, or with a button among `children`. The code is loaded when the search is
 * first opened.
 */
export const SearchProvider = ({ children }: { children: ReactNode }) => {
  const pages = useEntries();
  const [times, setTimes] = useState(0);
  const open = () => setTimes((before) => before + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <OpenSearch value={open}>
      {children}
      {times > 0 && (
        <Boundary of={String(times)}>
          <Suspense>
            <Dialog times={times} pages={pages} />
          </Suspense>
        </Boundary>
      )}
    </OpenSearch>
  );
};
