import { type ComponentType, lazy, Suspense } from 'react';
import type { lazyPages } from '../lazy-pages.ts';
import { loadFile } from './not-loaded.ts';
import { Loading } from './states.tsx';

/**
 * Returns a page whose code is loaded when the page is opened. Its CSS must be imported by main.tsx, because no other
 * CSS file is served.
 */
export const lazyPage = (name: keyof typeof lazyPages): ComponentType => {
  const Page = lazy(async () => ({ default: (await loadFile(import('../lazy-pages.ts'))).lazyPages[name] }));
  return () => (
    <Suspense fallback={<Loading />}>
      <Page />
    </Suspense>
  );
};
