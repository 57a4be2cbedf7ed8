import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { DataExport } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { List } from '../ui/list.tsx';
import { Section } from '../ui/section.tsx';
import { JobState, refetchIntervalOf, SubjectLink, useColumns } from './jobs.tsx';
import { usePersonalDataTexts } from './texts.ts';

type FileProps = { job: DataExport; customerId: number };

/** Downloads an export file. Each click gets a new URL, which is recorded. */
const File = ({ job: { id: exportId, fileUntil, state }, customerId }: FileProps) => {
  const texts = usePersonalDataTexts();
  const download = useWrite({
    send: () =>
      ok(api.GET('/customers/{customerId}/exports/{exportId}', { params: { path: { customerId, exportId } } })),
    onDone: ({ url }) => {
      if (url !== null) location.assign(url);
    },
  });
  if (fileUntil === null) return state === 'completed' && <Text size="xs">{texts.noFile}</Text>;
  return (
    <Anchor component="button" type="button" inherit onClick={() => download.mutate()}>
      {texts.download}
    </Anchor>
  );
};

/** Lists a customer's exports. */
export const Exports = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const { started, reason, items } = useColumns();
  const query = useQuery({
    queryKey: ['personal data', customerId, 'exports'],
    queryFn: () => ok(api.GET('/customers/{customerId}/exports', { params: { path: { customerId } } })),
    refetchInterval: ({ state }) => refetchIntervalOf(state.data, false),
  });
  const columns = [
    started,
    { head: texts.subject, cell: ({ subject }: DataExport) => <SubjectLink subject={subject} /> },
    reason,
    {
      head: texts.state,
      cell: (job: DataExport) => (
        <JobState state={job.state}>
          <File job={job} customerId={customerId} />
        </JobState>
      ),
    },
    items,
  ];
  return (
    <Section title={texts.exports}>
      <List<DataExport>
        label={texts.exports}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty={texts.noExports}
      />
      {query.data?.some(({ fileUntil }) => fileUntil !== null) && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.linkValidity}
        </Text>
      )}
    </Section>
  );
};
