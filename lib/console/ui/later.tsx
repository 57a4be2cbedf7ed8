import { type ComponentType, lazy, Suspense } from 'react';
import type { laterPages } from '../later-pages.ts';
import { loaded } from './not-loaded.ts';
import { Loading } from './states.tsx';

/**
 * A page whose code is loaded when it is opened. Its CSS is imported by main.tsx, because no further CSS file is
 * loaded.
 */
export const later = (name: keyof typeof laterPages): ComponentType => {
  const Page = lazy(async () => ({ default: (await loaded(import('../later-pages.ts'))).laterPages[name] }));
  return () => (
    <Suspense fallback={<Loading />}>
      <Page />
    </Suspense>
  );
};
