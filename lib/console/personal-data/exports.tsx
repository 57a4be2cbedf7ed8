import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { DataExport } from '#openapi';
import { api } from '../api/client.ts';
import { List } from '../ui/list.tsx';
import { Section } from '../ui/section.tsx';
import { JobState, refetchIntervalOf, SubjectLink, useColumns } from './jobs.tsx';
import { usePersonalDataTexts } from './texts.ts';

/** Download links are valid for an hour, so the list is refetched (ms) before they expire. */
const REFETCH_LINKS_MS = 30 * 60_000;

const File = ({ url, state }: DataExport) => {
  const texts = usePersonalDataTexts();
  if (url === null) return state === 'completed' && <Text size="xs">{texts.noFile}</Text>;
  return (
    <Anchor href={url} download inherit>
      {texts.download}
    </Anchor>
  );
};

/** Lists the exports of a customer. */
export const Exports = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const { started, reason, items } = useColumns();
  const query = useQuery({
    queryKey: ['personal data', customerId, 'exports'],
    queryFn: () => ok(api.GET('/customers/{customerId}/exports', { params: { path: { customerId } } })),
    refetchInterval: ({ state }) => refetchIntervalOf(state.data, REFETCH_LINKS_MS),
  });
  const columns = [
    started,
    { head: texts.subject, cell: ({ subject }: DataExport) => <SubjectLink subject={subject} /> },
    reason,
    {
      head: texts.state,
      cell: (job: DataExport) => (
        <JobState state={job.state}>
          <File {...job} />
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
      {query.data?.some(({ url }) => url !== null) && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.linkValidity}
        </Text>
      )}
    </Section>
  );
};
