import { type ReactNode, useState } from 'react';
import { ElapsedTime } from '../overview/elapsed.tsx';
import { NotWatchedPage, QUIET_MS } from '../shell/not-watched.tsx';
import { useSound } from '../sound/use-sound.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';

/** The page shown after the session has ended, with sound and a login form. */
export const SessionOver = ({ endedAt, children }: { endedAt: number; children: ReactNode }) => {
  const { notWatched: texts } = useTexts();
  const dates = useDates();
  const [quietUntil, setQuietUntil] = useState(0);
  const isQuiet = useNow() < quietUntil;
  useSound({ alarms: [], suspicions: [], isLost: !isQuiet });
  return (
    <NotWatchedPage
      since={
        <>
          {texts.loggedOut(dates.second(endedAt))} <ElapsedTime since={endedAt} />
        </>
      }
      what={texts.sessionOver}
    >
      {children}
      {!isQuiet && (
        <p className="btns">
          <button type="button" className="btn" onClick={() => setQuietUntil(Date.now() + QUIET_MS)}>
            {texts.quiet}
          </button>
        </p>
      )}
    </NotWatchedPage>
  );
};
