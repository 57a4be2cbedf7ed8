import { Anchor, Badge, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useDates, useTexts } from '../texts/texts.tsx';

/** Lists all running replays of a webhook, and the newest one that has ended. */
export const Replays = ({ webhookId }: { webhookId: string }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const replays = useQuery({
    queryKey: ['replays', webhookId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/replays', { params: { path: { webhookId } } })),
    refetchInterval: 5_000,
  });
  return replays.data?.[0]?.data.map(({ id, state, isPaused, createDate, sent, failed, total }) => (
    <Paper key={id} withBorder p="sm" mb="md">
      <Group gap="sm">
        <Anchor component={Link} href={`/replays/${webhookId}/${id}`}>
          {texts.replayOf(dates.exact(createDate))}
        </Anchor>
        <Badge variant="light" color={state === 'running' ? 'cyan' : 'gray'}>
          {isPaused ? texts.paused : texts.replayState[state]}
        </Badge>
        <Text span>{texts.progress(sent, failed, total)}</Text>
      </Group>
    </Paper>
  ));
};
