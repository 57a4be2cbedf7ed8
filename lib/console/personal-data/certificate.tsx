import { Stack, Table, Text, Title } from '@mantine/core';
import type { Erasure } from '#openapi';
import { useDates } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { isRunning, State, useSubjectText } from './jobs.tsx';
import { useItemTexts, usePersonalDataTexts } from './texts.ts';

type TwoProps = { label: string; rows: readonly (readonly [string, string])[]; empty: string };
/** A title, and below it a table of two columns. */
const Two = ({ label, rows, empty }: TwoProps) => (
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

/** How much was erased by the words for it, in their order. */
const useErased = ({ counts }: Erasure) => {
  const words = useItemTexts();
  const dates = useDates();
  const sums = new Map<string, number>();
  for (const [kind, count] of Object.entries(counts)) {
    const word = words[kind] ?? kind;
    sums.set(word, (sums.get(word) ?? 0) + count);
  }
  return [...sums]
    .toSorted(([name], [other]) => name.localeCompare(other))
    .map(([word, count]) => [word, dates.number(count)] as const);
};

/** What an erasure says of itself: when and why it was, what went, and what remains where until when. */
export const Certificate = ({ erasure }: { erasure: Erasure }) => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  const textOf = useSubjectText();
  const erased = useErased(erasure);
  const { subject, reason, createDate, updateDate, remains, state } = erasure;
  const left = remains.map(
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
          <State state={state} />
        </dd>
      </dl>
      {!isOver && <Text size="sm">{texts.notYet}</Text>}
      <Two label={texts.erased} rows={erased} empty={texts.nothing} />
      {isOver && <Two label={texts.remains} rows={left} empty={texts.nothing} />}
    </Stack>
  );
};
