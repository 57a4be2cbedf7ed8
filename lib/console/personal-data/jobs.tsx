import { Anchor, Badge, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { DataExport, Erasure, Subject } from '#openapi';
import { useMay } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import type { Column } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { usePersonalDataTexts } from './texts.ts';

type Job = DataExport | Erasure;
/** How often (ms) a list is read again while something in it runs. */
const AGAIN = 5_000;

export const isRunning = ({ state }: Job): boolean => state === 'running';
/** When a list is read again; `otherwise` if nothing in it runs. */
export const againAfter = (jobs: readonly Job[] | undefined, otherwise: number | false): number | false =>
  jobs?.some(isRunning) ? AGAIN : otherwise;

/** Whose data a job is about: nobody finds the name of who was erased, so it is the id. */
export const useSubjectText = () => {
  const { kinds } = usePersonalDataTexts();
  return ({ kind, id }: Subject): string => `${kinds[kind]} ${id}`;
};

/** Whose data were exported, with the way to the page of whoever is there. A customer is that of this page. */
export const SubjectLink = ({ subject }: Pick<Job, 'subject'>) => {
  const text = useSubjectText()(subject);
  const may = useMay();
  const { kind, id } = subject;
  if (kind === 'customer' || (kind === 'user' && !may('manage_users'))) return text;
  return (
    <Anchor component={Link} href={kind === 'user' ? `/users/${id}` : `/sensors/${id}`} inherit>
      <Name>{text}</Name>
    </Anchor>
  );
};

const colors = { running: 'blue', completed: 'green', failed: 'red' } as const;
/** How a job stands, and below it what there is to say or to open: a phone has no room for a column of its own. */
export const State = ({ state, children }: Pick<Job, 'state'> & { children?: ReactNode }) => {
  const texts = usePersonalDataTexts();
  return (
    <Stack gap={2} align="start">
      <Badge color={colors[state]} variant="light">
        {texts.states[state]}
      </Badge>
      {state === 'failed' && <Text size="xs">{texts.canRestart}</Text>}
      {children}
    </Stack>
  );
};

const sumOf = ({ counts }: Job) => Object.values(counts).reduce((sum, count) => sum + count, 0);
/** The columns that both lists have, beside whose data it is and how it stands. */
export const useColumns = () => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  return {
    date: { head: texts.started, cell: ({ createDate }) => dates.dateTime(createDate) },
    reason: { head: texts.reason, cell: ({ reason }) => <Name>{reason}</Name>, isMinor: true },
    items: { head: texts.items, cell: (job) => dates.number(sumOf(job)), isMinor: true },
  } satisfies Record<string, Column<Job>>;
};
