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
import { againAfter, isRunning, State, useColumns, useSubjectText } from './jobs.tsx';
import { usePersonalDataTexts } from './texts.ts';

/** How long (ms) an erasure takes at least: at its end it looks for what was still on its way at its beginning. */
const TAKES = 16 * 60_000;
const endOf = ({ createDate }: Erasure): number => createDate + TAKES;
const isBeforeEnd = (job: Erasure): boolean => isRunning(job) && endOf(job) > Date.now();

/** What was erased of a customer, each with its certificate. */
export const Erasures = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  const textOf = useSubjectText();
  const { date, reason, items } = useColumns();
  const [open, setOpen] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ['personal data', customerId, 'erasures'],
    queryFn: () => ok(api.GET('/customers/{customerId}/erasures', { params: { path: { customerId } } })),
    refetchInterval: ({ state }) => againAfter(state.data, false),
  });
  const shown = query.data?.find(({ id }) => id === open);
  const columns = [
    date,
    { head: texts.subject, cell: ({ subject }: Erasure) => <Name>{textOf(subject)}</Name> },
    reason,
    {
      head: texts.state,
      cell: (job: Erasure) => (
        <State state={job.state}>
          {isBeforeEnd(job) && <Text size="xs">{texts.endsAt(dates.clock(endOf(job)))}</Text>}
          <Anchor component="button" type="button" inherit onClick={() => setOpen(job.id)}>
            {isRunning(job) ? texts.progress : texts.certificate}
          </Anchor>
        </State>
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
        keyOf={({ id }) => id}
        empty={texts.noErasures}
      />
      <Dialog opened={shown !== undefined} onClose={() => setOpen(null)} title={texts.certificate} size="lg">
        {shown && <Certificate erasure={shown} />}
      </Dialog>
    </Section>
  );
};
