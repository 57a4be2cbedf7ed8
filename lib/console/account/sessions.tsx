import { Badge, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Session } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { type Column, List } from '../ui/list.tsx';
import { useOtpTexts } from './otp-texts.ts';
import { self } from './queries.ts';

const KEY = ['sessions'];

const useColumns = (onEnd: (sessionId: string) => void): Column<Session>[] => {
  const texts = useOtpTexts();
  const { setup } = useTexts();
  const dates = useDates();
  return [
    { head: texts.since, cell: ({ createDate }) => dates.dateTime(createDate) },
    { head: texts.address, cell: ({ address }) => address },
    { head: texts.browser, cell: ({ userAgent }) => <span className="name">{userAgent}</span>, isMinor: true },
    {
      head: setup.actions,
      cell: ({ id, isCurrent }) =>
        isCurrent ? (
          <Badge>{texts.thisOne}</Badge>
        ) : (
          <Button variant="default" size="xs" onClick={() => onEnd(id)}>
            {texts.end}
          </Button>
        ),
    },
  ];
};

/** The user's sessions. All but the current one can be ended. */
export const Sessions = () => {
  const texts = useOtpTexts();
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => ok(api.GET('/users/{userId}/sessions', { params: self })),
  });
  const end = useWrite({
    send: (sessionId: string) =>
      ok(api.DELETE('/users/{userId}/sessions/{sessionId}', { params: { path: { ...self.path, sessionId } } })),
    done: texts.ended,
    refresh: [KEY],
  });
  return (
    <>
      <Title order={2} mb="md">
        {texts.sessions}
      </Title>
      <List
        label={texts.sessions}
        query={query}
        columns={useColumns((id) => end.mutate(id))}
        rowKey={({ id }) => id}
        empty={texts.noSessions}
      />
    </>
  );
};
