import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Erasure } from '#openapi';
import { api } from '../api/client.ts';
import { useDates } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { List } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { Section } from '../ui/section.tsx';
import { Certificate } from './certificate.tsx';
import { isRunning, JobState, refetchIntervalOf, useColumns, useSubjectText } from './jobs.tsx';
import { ErasureRequest } from './request.tsx';
import { usePersonalDataTexts } from './texts.ts';

/** The minimum erasure duration (ms). A final pass erases what was still being written when the erasure started. */
const MIN_DURATION_MS = 16 * 60_000;
const endOf = ({ createDate, begins }: Erasure): number => (begins ?? createDate) + MIN_DURATION_MS;
const hasBegun = ({ state }: Erasure): boolean => state !== 'requested' && state !== 'canceled';
const isOnTime = (job: Erasure): boolean => isRunning(job) && endOf(job) > Date.now();

/** Lists a customer's erasures, each with a certificate. */
export const Erasures = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  const textOf = useSubjectText();
  const { started, reason, items } = useColumns();
  const [open, setOpen] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ['personal data', customerId, 'erasures'],
    queryFn: () => ok(api.GET('/customers/{customerId}/erasures', { params: { path: { customerId } } })),
    refetchInterval: ({ state }) => refetchIntervalOf(state.data, false),
  });
  const shown = query.data?.find(({ id }) => id === open);
  const columns = [
    started,
    { head: texts.subject, cell: ({ subject }: Erasure) => <Name>{textOf(subject)}</Name> },
    reason,
    {
      head: texts.state,
      cell: (job: Erasure) => (
        <JobState state={job.state}>
          {isOnTime(job) && <Text size="xs">{texts.endsAt(dates.clock(endOf(job)))}</Text>}
          <ErasureRequest job={job} customerId={customerId} />
          {hasBegun(job) && (
            <Anchor component="button" type="button" inherit onClick={() => setOpen(job.id)}>
              {isRunning(job) ? texts.progress : texts.certificate}
            </Anchor>
          )}
        </JobState>
      ),
    },
    items,
  ];
  return (
    <Section title={texts.erasures}>
      <List<Erasure>
        label={texts.erasures}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty={texts.noErasures}
      />
      <Dialog opened={shown !== undefined} onClose={() => setOpen(null)} title={texts.certificate} size="lg">
        {shown && <Certificate erasure={shown} />}
      </Dialog>
    </Section>
  );
};
