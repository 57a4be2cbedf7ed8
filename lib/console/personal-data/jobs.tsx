import { Anchor, Badge, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { DataExport, Erasure, Subject } from '#openapi';
import { useCan } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import type { Column } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { usePersonalDataTexts } from './texts.ts';

type Job = DataExport | Erasure;
/** The refetch interval (ms) while a job is running. */
const RUNNING_INTERVAL_MS = 5_000;

export const isRunning = ({ state }: Job): boolean => state === 'running';
/** Returns the refetch interval for a list; `otherwise` if no job in it is running. */
export const refetchIntervalOf = (jobs: readonly Job[] | undefined, otherwise: number | false): number | false =>
  jobs?.some(isRunning) ? RUNNING_INTERVAL_MS : otherwise;

/** Returns a function that describes a subject. It uses the id, because the names of erased subjects are gone. */
export const useSubjectText = () => {
  const { kinds } = usePersonalDataTexts();
  return ({ kind, id }: Subject): string => `${kinds[kind]} ${id}`;
};

/** The export subject, with a link to the user or sensor page. */
export const SubjectLink = ({ subject }: Pick<Job, 'subject'>) => {
  const text = useSubjectText()(subject);
  const can = useCan();
  const { kind, id } = subject;
  if (kind === 'customer' || (kind === 'user' && !can('manage_users'))) return text;
  return (
    <Anchor component={Link} href={kind === 'user' ? `/users/${id}` : `/sensors/${id}`} inherit>
      <Name>{text}</Name>
    </Anchor>
  );
};

const colors = { requested: 'yellow', running: 'blue', completed: 'green', failed: 'red', canceled: 'gray' } as const;
/** The job state, with details below, because phones have no room for a separate column. */
export const JobState = ({ state, children }: Pick<Job, 'state'> & { children?: ReactNode }) => {
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
/** The columns common to both lists, besides subject and state. */
export const useColumns = () => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  return {
    started: { head: texts.started, cell: ({ createDate }) => dates.dateTime(createDate) },
    reason: { head: texts.reason, cell: ({ reason }) => <Name>{reason}</Name>, isMinor: true },
    items: { head: texts.items, cell: (job) => dates.number(sumOf(job)), isMinor: true },
  } satisfies Record<string, Column<Job>>;
};
