import { useEffect, useState } from 'react';

/** Returns the current time (ms), updated every `intervalMs`, for texts such as "3 minutes ago". */
export const useNow = (intervalMs = 1_000): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
};
