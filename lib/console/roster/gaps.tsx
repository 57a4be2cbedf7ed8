import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Anchor } from '@mantine/core';
import type { Span } from './coverage.ts';
import { useRosterDates, useRosterTexts } from './texts.ts';

/** The maximum number of gaps to name. */
const MAX_NAMED = 3;

type GapsProps = { gaps: readonly Span[]; timeZone: string; onAdd: ((gap: Span) => void) | null };

/** Warns about upcoming hours in which a rule for the people on duty reaches no one. */
export const Gaps = ({ gaps, timeZone, onAdd }: GapsProps) => {
  const texts = useRosterTexts();
  const dates = useRosterDates(timeZone);
  if (gaps.length === 0) return null;
  const named = gaps.slice(0, MAX_NAMED);
  const rest = gaps.length - named.length;
  const isSameDay = ({ from, to }: Span): boolean => dates.day(from) === dates.day(to);
  return (
    <section className="roster-gaps" aria-label={texts.gaps}>
      <ExclamationTriangleIcon className="icon" />
      <div>
        <ul className="plain">
          {named.map((gap) => {
            const to = isSameDay(gap) ? dates.clock(gap.to) : dates.dayAndClock(gap.to);
            const say = gap.coverage === 'unreachable' ? texts.unreachable : texts.nobody;
            return (
              <li key={gap.from}>
                <b>{say(dates.dayAndClock(gap.from), to)}</b>{' '}
                {onAdd && (
                  <Anchor component="button" type="button" inherit onClick={() => onAdd(gap)}>
                    {texts.add}
                  </Anchor>
                )}
              </li>
            );
          })}
        </ul>
        {rest > 0 && `${texts.moreGaps(rest)}. `}
        {texts.gapConsequence}
      </div>
    </section>
  );
};
