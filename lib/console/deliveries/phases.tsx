import type { AttemptLog } from '#openapi';
import { useDates } from '../texts/texts.tsx';
import { durationText, partsOf } from './durations.ts';
import { useDeliveryTexts } from './texts.ts';

/** Shows the phases of an attempt in words and as a bar with proportional lengths. */
export const Phases = ({ attempt }: { attempt: Pick<AttemptLog, 'timings' | 'durationMs'> }) => {
  const texts = useDeliveryTexts();
  const dates = useDates();
  const parts = partsOf(attempt);
  return (
    <div>
      <div className="phases" aria-hidden>
        {parts.map(({ name, ms }) => (
          <span key={name} style={{ flexGrow: ms }} />
        ))}
      </div>
      <p className="meta">
        {parts.map(({ name, ms }) => `${texts.phases[name]} ${durationText(ms, dates.number)}`).join(', ')}
      </p>
    </div>
  );
};
