import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from './states.tsx';

const RELOADED = 'reloaded';
/**
 * The page is reloaded at most once in so many ms. When the code cannot be loaded again so soon, the service is down,
 * and there is no newer console.
 */
const ONCE_IN = 60_000;

// The files of a newer console have other names. So when a file of the present page is missing, the page is reloaded.
const reload = (error: unknown): never => {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last > ONCE_IN) {
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }
  throw error;
};

/**
 * A page whose code is loaded when it is opened. Its CSS is imported by main.tsx, because no further CSS file is
 * loaded.
 */
export const later = (load: () => Promise<ComponentType>): ComponentType => {
  const Page = lazy(async () => ({ default: await load().catch(reload) }));
  return () => (
    <Suspense fallback={<Loading />}>
      <Page />
    </Suspense>
  );
};
