import { ClockIcon } from '@heroicons/react/24/outline';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { LoginForm } from '../session/login.tsx';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useNow } from '../ui/now.ts';

const MINUTE = 60_000;
/** How long (ms) in advance the console announces the end of a session. */
const WARNING_MS = 60 * MINUTE;
/** How long (ms) a page waits before it asks when the session ends. Alarms are loaded first. */
const DELAY_MS = 30_000;

/** Returns the time (ms) at which the session ends; null while unknown, and on a display. */
const useSessionEnd = (): number | null => {
  const { display } = useMe();
  const [isTime, setIsTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsTime(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  // The session of a display lasts as long as the display is in use.
  const { data } = useQuery({
    queryKey: ['sessions', 'current'],
    enabled: isTime && !display,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => ok(api.GET('/users/{userId}/sessions', { params: { path: { userId: 'me' } } })),
  });
  return data?.find(({ isCurrent }) => isCurrent)?.expires ?? null;
};

/** A line that announces the end of the session an hour in advance. It lets the user log in again. */
export const SessionEnding = () => {
  const { login: texts } = useTexts();
  const dates = useDates();
  const end = useSessionEnd();
  const now = useNow(MINUTE / 2);
  const [isAsking, setAsking] = useState(false);
  if (end === null || now < end - WARNING_MS) return null;
  return (
    <div className="ending" role="status">
      <ClockIcon className="icon" />
      <span>{texts.ending(dates.clock(end))}</span>
      <button type="button" className="link" onClick={() => setAsking(true)}>
        {texts.logInAgain}
      </button>
      <Dialog opened={isAsking} onClose={() => setAsking(false)} title={texts.logInAgain}>
        <LoginForm action={texts.submit} isAlone />
      </Dialog>
    </div>
  );
};
