import { useDates } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { useNow } from '../ui/now.ts';

/** A running clock that shows the time since `since`. The browser clock may be behind the service's clock. */
export const ElapsedTime = ({ since }: { since: number }) => {
  const dates = useDates();
  const now = useNow();
  return (
    <time className="running" dateTime={new Date(since).toISOString()} title={dates.exact(since)}>
      {clockOf(now - since)}
    </time>
  );
};
