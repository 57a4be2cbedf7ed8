import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { AttemptLog } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Code } from '../ui/code.tsx';
import { Phases } from './phases.tsx';

const Attempt = ({ attempt }: { attempt: AttemptLog }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const { number, startDate, durationMs, status, error, responseBody, outbox } = attempt;
  // Deliveries to people have no HTTP status.
  const result = error === null ? (outbox ? texts.inOutbox : texts.accepted) : (texts.errors[error] ?? error);
  const isSuccess = status === null ? error === null : status >= 200 && status < 300;
  return (
    <Paper component="li" withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{texts.attempt(number)}</Text>
          <Badge color={outbox ? 'yellow' : isSuccess ? 'green' : 'red'}>{status ?? result}</Badge>
        </Group>
        <Text size="sm">{`${dates.exact(startDate)}, ${texts.took(durationMs)}`}</Text>
        <Phases attempt={attempt} />
        {responseBody !== '' && <Code label={texts.answer}>{responseBody}</Code>}
      </Stack>
    </Paper>
  );
};

/** The attempts of a delivery, newest first. */
export const Attempts = ({ log }: { log: readonly AttemptLog[] }) => {
  const { deliveries: texts } = useTexts();
  return (
    <section aria-label={texts.attempts}>
      <Title order={2} size="h3" mb="sm">
        {texts.attempts}
      </Title>
      {log.length === 0 && <Text>{texts.noAttempts}</Text>}
      <Stack component="ul" className="plain">
        {log.toReversed().map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </Stack>
    </section>
  );
};
