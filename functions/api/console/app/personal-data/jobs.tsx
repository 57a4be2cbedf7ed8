import { Anchor, Badge, Text } from '@mantine/core';
import type { DataExport, Erasure, Subject } from 'openapi';
import { Link } from 'wouter';
import { useDates } from '../texts/texts.tsx';
import type { Column } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { usePersonalDataTexts } from './texts.ts';

export type Job = DataExport | Erasure;
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

/** The pages of subjects that are there. */
const pages = { user: '/users', sensor: '/sensors', customer: '/customers' } as const;
export const SubjectLink = ({ subject }: Pick<Job, 'subject'>) => (
  <Anchor component={Link} href={`${pages[subject.kind]}/${subject.id}`} inherit>
    <Name>{useSubjectText()(subject)}</Name>
  </Anchor>
);

const colors = { running: 'blue', completed: 'green', failed: 'red' } as const;
type StateProps = Pick<Job, 'state'> & { more?: string | false };
export const State = ({ state, more }: StateProps) => {
  const texts = usePersonalDataTexts();
  const note = state === 'failed' ? texts.again : more;
  return (
    <>
      <Badge color={colors[state]} variant="light">
        {texts.states[state]}
      </Badge>
      {note && <Text size="xs">{note}</Text>}
    </>
  );
};

const sumOf = ({ counts }: Job) => Object.values(counts).reduce((sum, count) => sum + count, 0);
/** The columns that both lists have, beside whose data it is and how it stands. */
export const useColumns = () => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  return {
    date: { head: texts.date, cell: ({ createDate }) => dates.dateTime(createDate) },
    reason: { head: texts.reason, cell: ({ reason }) => <Name>{reason}</Name>, isMinor: true },
    items: { head: texts.items, cell: (job) => dates.number(sumOf(job)), isMinor: true },
  } satisfies Record<string, Column<Job>>;
};
