import { Text } from '@mantine/core';
import type { AttemptLog } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';

const names = ['dns', 'connect', 'tls', 'firstByte'] as const;
type Part = { name: (typeof names)[number] | 'rest'; ms: number };

/** Returns the duration of each phase of an attempt; the remaining time comes last. */
const partsOf = ({ timings, durationMs }: Pick<AttemptLog, 'timings' | 'durationMs'>): Part[] => {
  const parts = names.flatMap((name): Part[] => {
    const ms = timings[name];
    return ms === null ? [] : [{ name, ms }];
  });
  const rest = durationMs - parts.reduce((sum, { ms }) => sum + ms, 0);
  return rest > 0 ? [...parts, { name: 'rest', ms: rest }] : parts;
};

/** Shows the phases of an attempt as a bar, in proportion to their durations. */
export const Phases = ({ attempt }: { attempt: Pick<AttemptLog, 'timings' | 'durationMs'> }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const parts = partsOf(attempt);
  return (
    <div>
      <div className="phases" aria-hidden>
        {parts.map(({ name, ms }) => (
          <span key={name} className={`phase ${name}`} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul className="legend">
        {parts.map(({ name, ms }) => (
          <li key={name}>
            <span className={`phase ${name}`} aria-hidden />
            <Text size="sm" span>
              {`${texts.phases[name]} ${dates.number(ms)} ms`}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  );
};
