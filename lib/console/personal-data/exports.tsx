import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { DataExport } from '#openapi';
import { api } from '../api/client.ts';
import { List } from '../ui/list.tsx';
import { Section } from '../ui/section.tsx';
import { againAfter, State, SubjectLink, useColumns } from './jobs.tsx';
import { usePersonalDataTexts } from './texts.ts';

/** The links of a list are good for an hour: it is read again (ms) before they end. */
const LINKS_ANEW = 30 * 60_000;

const File = ({ url, state }: DataExport) => {
  const texts = usePersonalDataTexts();
  if (url === null) return state === 'completed' && <Text size="xs">{texts.noFile}</Text>;
  return (
    <Anchor href={url} download inherit>
      {texts.download}
    </Anchor>
  );
};

/** What was exported of a customer. */
export const Exports = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const { date, reason, items } = useColumns();
  const query = useQuery({
    queryKey: ['personal data', customerId, 'exports'],
    queryFn: () => ok(api.GET('/customers/{customerId}/exports', { params: { path: { customerId } } })),
    refetchInterval: ({ state }) => againAfter(state.data, LINKS_ANEW),
  });
  const columns = [
    date,
    { head: texts.subject, cell: ({ subject }: DataExport) => <SubjectLink subject={subject} /> },
    reason,
    {
      head: texts.state,
      cell: (job: DataExport) => (
        <State state={job.state}>
          <File {...job} />
        </State>
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
        keyOf={({ id }) => id}
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
