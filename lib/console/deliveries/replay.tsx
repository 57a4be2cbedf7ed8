import { Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Replay } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { useDeliveryTexts } from './texts.ts';

const pathOf = (webhookId: string, replayId: string) => ({ params: { path: { webhookId, replayId } } });
const PATH = '/webhooks/{webhookId}/replays/{replayId}';

const Actions = ({ replay: { id, webhookId, isPaused } }: { replay: Replay }) => {
  const texts = useDeliveryTexts();
  const confirm = useConfirm();
  const refresh = [
    ['replay', id],
    ['replays', webhookId],
  ];
  const pause = useWrite({
    send: () => ok(api.PUT(PATH, { ...pathOf(webhookId, id), body: { isPaused: !isPaused } })),
    refresh,
  });
  const cancel = useWrite({
    send: () => ok(api.DELETE(PATH, pathOf(webhookId, id))),
    done: texts.canceled,
    refresh,
  });
  const ask = async () => {
    const question = { title: texts.cancel, text: texts.cancelText, action: texts.cancel };
    if (await confirm(question)) cancel.mutate();
  };
  return (
    <Group>
      <Button variant="default" onClick={() => pause.mutate()} loading={pause.isPending}>
        {isPaused ? texts.resume : texts.pause}
      </Button>
      <Button variant="default" onClick={ask} loading={cancel.isPending}>
        {texts.cancel}
      </Button>
    </Group>
  );
};

const ReplayStatus = ({ replay }: { replay: Replay }) => {
  const texts = useDeliveryTexts();
  const dates = useDates();
  const { state, isPaused, sent, failed, total, since, until } = replay;
  const isOver = state !== 'running';
  const shareOfEmpty = isOver ? 100 : 0;
  const share = (count: number): number => (total === 0 ? shareOfEmpty : (count / total) * 100);
  const progress = texts.progress(sent, failed, total);
  return (
    <Paper withBorder p="md" className="narrow">
      <Stack>
        <Group>
          <Badge color={isOver ? 'gray' : 'cyan'} role="status">
            {isPaused ? texts.paused : texts.replayState[state]}
          </Badge>
          <Text>{`${dates.dateTime(since)} – ${dates.dateTime(until)}`}</Text>
        </Group>
        <Progress.Root size="xl">
          <Progress.Section value={share(sent)} color="green.8" aria-label={progress} />
          <Progress.Section value={share(failed)} color="red.8" aria-hidden />
        </Progress.Root>
        <Text>{progress}</Text>
        {!isOver && <Actions replay={replay} />}
      </Stack>
    </Paper>
  );
};

/** The page for a replay: the progress, with buttons to pause and to cancel. */
export const ReplayPage = () => {
  const { webhookId = '', replayId = '' } = useParams();
  const { titles } = useTexts();
  const texts = useDeliveryTexts();
  const replay = useQuery({
    queryKey: ['replay', replayId],
    queryFn: () => ok(api.GET(PATH, pathOf(webhookId, replayId))),
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'running' ? false : 1_000),
  });
  return (
    <>
      <Head title={texts.replayTitle} back={{ href: `/deliveries/${webhookId}`, label: titles.deliveries }} />
      <Loaded query={replay}>{(found) => <ReplayStatus replay={found} />}</Loaded>
    </>
  );
};
