import { useEffect, useState } from 'react';

/** Gives the present time (ms), updated every `everyMs`, for texts such as "3 minutes ago". */
export const useNow = (everyMs = 1_000): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
};
