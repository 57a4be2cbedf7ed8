import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { dayAfter } from '#shared/domain/time/calendar.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { withCopiedDays } from './entries.ts';
import { useRosterEdit } from './queries.ts';
import { faultIn } from './shift-fields.tsx';
import { useRosterTexts } from './texts.ts';
import type { Week } from './week.ts';

const DAY = 86_400_000;
const daysBetween = (first: string, last: string): number => (Date.parse(last) - Date.parse(first)) / DAY;

type CopyWeekProps = {
  customerId: number;
  userIds: readonly number[];
  entries: readonly RosterEntry[];
  week: Week;
  /** The Mondays of the possible target weeks. */
  targets: readonly string[];
  formatWeek: (first: string, last: string) => string;
  onClose: () => void;
};

/** A dialog for copying single-day shifts and days off to another week. */
export const CopyWeek = ({ customerId, userIds, entries, week, targets, formatWeek, onClose }: CopyWeekProps) => {
  const { copy: texts } = useRosterTexts();
  const [target, setTarget] = useState(targets[0] ?? '');
  const save = useRosterEdit(customerId, userIds, onClose);
  const dates = week.days.filter(({ isPast }) => !isPast).map(({ date }) => date);
  const nameOf = (monday: string) => formatWeek(monday, dayAfter(monday, 6));
  const isNothing = !entries.some(({ date }) => date !== undefined && dates.includes(date));
  const copy = () => save.mutate((all) => withCopiedDays(all, dates, daysBetween(week.monday, target)));
  return (
    <Dialog opened onClose={onClose} title={texts.title(nameOf(week.monday))}>
      {isNothing ? (
        <Text>{texts.nothing}</Text>
      ) : (
        <Form action={texts.action} isPending={save.isPending} onSubmit={copy}>
          <Stack gap="xs">
            <Text size="sm">{texts.explain}</Text>
            {dates.length < week.days.length && <Text size="sm">{texts.past}</Text>}
          </Stack>
          <NativeSelect
            label={texts.to}
            value={target}
            data={targets.map((monday) => ({ value: monday, label: nameOf(monday) }))}
            error={faultIn(save.error, 'date')}
            onChange={({ currentTarget }) => setTarget(currentTarget.value)}
          />
        </Form>
      )}
    </Dialog>
  );
};
