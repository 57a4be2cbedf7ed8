import { Stack, Table, Text, Title } from '@mantine/core';
import type { Erasure } from '#openapi';
import { useDates } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { isRunning, JobState, useSubjectText } from './jobs.tsx';
import { useItemTexts, usePersonalDataTexts } from './texts.ts';

type TwoColumnsProps = { label: string; rows: readonly (readonly [string, string])[]; empty: string };
/** A titled two-column table. */
const TwoColumns = ({ label, rows, empty }: TwoColumnsProps) => (
  <section>
    <Title order={3} fz="md" mb={4}>
      {label}
    </Title>
    {rows.length === 0 && <Text size="sm">{empty}</Text>}
    <Table aria-label={label} fz="sm" verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th fw="normal">{name}</Table.Th>
            <Table.Td ta="end">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </section>
);

/** Returns the number of erased items by name, sorted. */
const useErased = ({ counts }: Erasure) => {
  const names = useItemTexts();
  const dates = useDates();
  const sums = new Map<string, number>();
  for (const [kind, count] of Object.entries(counts)) {
    const name = names[kind] ?? kind;
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return [...sums]
    .toSorted(([name], [other]) => name.localeCompare(other))
    .map(([name, count]) => [name, dates.number(count)] as const);
};

/** An erasure certificate: the time and reason, what was erased, and what remains, with where and until when. */
export const Certificate = ({ erasure }: { erasure: Erasure }) => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  const textOf = useSubjectText();
  const erased = useErased(erasure);
  const { subject, reason, createDate, updateDate, remains, state } = erasure;
  const remaining = remains.map(
    ({ what, until }) => [texts.remaining[what], until === null ? texts.untilDeleted : dates.dateTime(until)] as const,
  );
  const isOver = !isRunning(erasure);
  return (
    <Stack>
      <dl className="facts">
        <dt>{texts.whoseData}</dt>
        <dd>
          <Name>{textOf(subject)}</Name>
        </dd>
        <dt>{texts.reason}</dt>
        <dd>
          <Name>{reason}</Name>
        </dd>
        <dt>{texts.started}</dt>
        <dd>{dates.exact(createDate)}</dd>
        {isOver && (
          <>
            <dt>{texts.ended}</dt>
            <dd>{dates.exact(updateDate)}</dd>
          </>
        )}
        <dt>{texts.state}</dt>
        <dd>
          <JobState state={state} />
        </dd>
      </dl>
      {!isOver && <Text size="sm">{texts.notYet}</Text>}
      <TwoColumns label={texts.erased} rows={erased} empty={texts.nothing} />
      {isOver && <TwoColumns label={texts.remains} rows={remaining} empty={texts.nothing} />}
    </Stack>
  );
};
