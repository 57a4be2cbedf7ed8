import { Text, Title } from '@mantine/core';
import type { AttemptLog } from '#openapi';
import { useDates } from '../texts/texts.tsx';
import { Code } from '../ui/code.tsx';
import { durationText } from './durations.ts';
import { Phases } from './phases.tsx';
import { attemptResult } from './result.ts';
import { useDeliveryTexts } from './texts.ts';

/** A line for an attempt. When opened, it shows where the time went and how the receiver responded. */
const Attempt = ({ attempt, isNewest }: { attempt: AttemptLog; isNewest: boolean }) => {
  const texts = useDeliveryTexts();
  const dates = useDates();
  const { number, startDate, durationMs, responseBody } = attempt;
  return (
    <li>
      <details open={isNewest}>
        <summary title={texts.attempt(number)}>
          <time className="meta" title={dates.exact(startDate)}>
            {dates.second(startDate)}
          </time>
          <span>{attemptResult(attempt, texts)}</span>
          <span className="meta">{durationText(durationMs, dates.number)}</span>
        </summary>
        <Phases attempt={attempt} />
        {responseBody !== '' && <Code label={texts.answer}>{responseBody}</Code>}
      </details>
    </li>
  );
};

/** The delivery attempts, newest first. */
export const Attempts = ({ log }: { log: readonly AttemptLog[] }) => {
  const texts = useDeliveryTexts();
  return (
    <section aria-label={texts.attempts}>
      <Title order={2} size="h3" mb="sm">
        {texts.attempts}
      </Title>
      {log.length === 0 && <Text>{texts.noAttempts}</Text>}
      <ol className="attempts" reversed>
        {log.toReversed().map((attempt, at) => (
          <Attempt key={attempt.number} attempt={attempt} isNewest={at === 0} />
        ))}
      </ol>
    </section>
  );
};
