import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '#lib/client/problem.ts';
import { useDates, useTexts } from '../texts/texts.tsx';

export const Loading = ({ rows = 4 }: { rows?: number }) => {
  const { loading } = useTexts();
  const keys = Array.from({ length: rows }, (_, at) => at);
  return (
    <Stack gap="xs" role="status" aria-label={loading}>
      {keys.map((key) => (
        <Skeleton key={key} height={28} radius="sm" />
      ))}
    </Stack>
  );
};

export const Failed = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => {
  const texts = useTexts();
  return (
    <Alert color="red" role="alert" title={texts.failed}>
      <Text mb="sm">{error instanceof Problem ? error.message : texts.noAnswer}</Text>
      <Button variant="default" size="xs" onClick={onRetry}>
        {texts.tryAgain}
      </Button>
    </Alert>
  );
};

const Stale = ({ since }: { since: number }) => {
  const texts = useTexts();
  const dates = useDates();
  return (
    <Alert color="yellow" role="status" mb="xs">
      {texts.stale(dates.exact(since))}
    </Alert>
  );
};

type LoadedProps<T> = { query: UseQueryResult<T>; rows?: number; children: (data: T) => ReactNode };

/**
 * Shows the data from a query, a placeholder while it loads, or the error. The previous data stays visible during a
 * refetch. If the refetch fails, the age of the data is shown.
 */
export const Loaded = <T,>({ query, rows, children }: LoadedProps<T>) => {
  if (query.data !== undefined)
    return (
      <>
        {query.error && <Stale since={query.dataUpdatedAt} />}
        {children(query.data)}
      </>
    );
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(rows !== undefined && { rows })} />;
};
