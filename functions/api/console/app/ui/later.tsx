import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from './states.tsx';

const RELOADED = 'reloaded';
/** ms. Within so long a page is not loaded anew twice: then the service is away, and no newer console is there. */
const ONCE_IN = 60_000;

// A newer console has files of other names: whoever has the page of the one before gets the new page.
const reload = (error: unknown): never => {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last > ONCE_IN) {
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }
  throw error;
};

/** A page whose code is loaded when somebody opens it. Its CSS belongs to main.tsx: no file of its own is loaded here. */
export const later = (load: () => Promise<ComponentType>): ComponentType => {
  const Page = lazy(async () => ({ default: await load().catch(reload) }));
  return () => (
    <Suspense fallback={<Loading />}>
      <Page />
    </Suspense>
  );
};
