import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import './not-watched.css';

/** How long (ms) the sound can be off while nothing is being watched. */
export const QUIET_MS = 5 * 60_000;

type NotWatchedProps = { since: ReactNode; what: string; children: ReactNode };

/** The red page shown while nothing is being watched. */
export const NotWatchedPage = ({ since, what, children }: NotWatchedProps) => {
  const { notWatched: texts } = useTexts();
  return (
    <main className="blind">
      <div role="alert">
        <h1>{texts.title}</h1>
      </div>
      <p className="since">{since}</p>
      <p className="what">{what}</p>
      {children}
    </main>
  );
};
