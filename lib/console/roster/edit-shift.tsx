import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { RosterPerson } from '#openapi';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { weekdayOf } from '#shared/domain/time/calendar.ts';
import { daysIn } from '../rules/week.ts';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import {
  type Hours,
  replacesWeekly,
  type Shift,
  usualHours,
  withDayOff,
  withoutShift,
  withoutWeeklyShift,
  withShift,
  withWeeklyDay,
  withWeeklyShift,
} from './entries.ts';
import { type Edit, useRosterEdit } from './queries.ts';
import { HoursFields } from './shift-fields.tsx';
import { useRosterTexts } from './texts.ts';

/** The roster selection: a shift, or a day off. */
export type Chosen = Shift | { userId: number; date: string; isDayOff: true };

type Scope = 'day' | 'weekly';

const removalOf =
  (shift: Shift, scope: Scope): Edit =>
  (entries) =>
    scope === 'weekly' ? withoutWeeklyShift(entries, shift) : withoutShift(entries, shift);

const changeOf =
  (shift: Shift, scope: Scope, hours: Hours): Edit =>
  (entries) => {
    const without = removalOf(shift, scope)(entries);
    const { userId, date } = shift;
    return scope === 'weekly'
      ? withWeeklyShift(without, userId, [weekdayOf(date)], hours)
      : withShift(without, userId, date, hours);
  };

type EditShiftProps = {
  customerId: number;
  people: readonly RosterPerson[];
  entries: readonly RosterEntry[];
  chosen: Chosen;
  /** The day in words. */
  day: string;
  onClose: () => void;
};

type ShiftFieldsProps = {
  shift: Shift;
  entries: readonly RosterEntry[];
  day: string;
  save: ReturnType<typeof useRosterEdit>;
};

const ShiftFields = ({ shift, entries, day, save }: ShiftFieldsProps) => {
  const { save: label } = useTexts();
  const { dialog: texts } = useRosterTexts();
  const weekdays = daysIn(useLocale(), 'long');
  const [scope, setScope] = useState<Scope>('day');
  const [hours, setHours] = useState<Hours>({ from: shift.from, to: shift.to });
  const { userId, date } = shift;
  const scopes = {
    day: texts.scopes.day(day),
    weekly: texts.scopes.weekly(weekdays[weekdayOf(date) - 1] ?? ''),
  };
  return (
    <Form action={label} isPending={save.isPending} onSubmit={() => save.mutate(changeOf(shift, scope, hours))}>
      {shift.isWeekly && <Choice label={texts.scope} options={scopes} value={scope} onChange={setScope} isVertical />}
      <HoursFields value={hours} onChange={setHours} usual={usualHours(entries)} error={save.error} />
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => save.mutate(removalOf(shift, scope))}>
          {texts.removeShift}
        </Button>
        <Button variant="default" size="xs" onClick={() => save.mutate((all) => withDayOff(all, userId, date))}>
          {texts.dayOff}
        </Button>
        {replacesWeekly(entries, userId, date) && (
          <Button variant="default" size="xs" onClick={() => save.mutate((all) => withWeeklyDay(all, userId, date))}>
            {texts.backToWeekly}
          </Button>
        )}
      </Group>
    </Form>
  );
};

/** A dialog for changing or deleting a shift, on one day or every week, or for deleting a day off. */
export const EditShift = ({ customerId, people, entries, chosen, day, onClose }: EditShiftProps) => {
  const { dialog: texts } = useRosterTexts();
  const { userId, date } = chosen;
  const save = useRosterEdit(
    customerId,
    people.map((person) => person.userId),
    onClose,
  );
  const name = people.find((person) => person.userId === userId)?.name ?? '';
  return (
    <Dialog opened onClose={onClose} title={texts.edit(name, day)}>
      {'isDayOff' in chosen ? (
        <>
          <Text mb="md">{texts.isOff}</Text>
          <Button loading={save.isPending} onClick={() => save.mutate((all) => withWeeklyDay(all, userId, date))}>
            {replacesWeekly(entries, userId, date) ? texts.backToWeekly : texts.removeDayOff}
          </Button>
        </>
      ) : (
        <ShiftFields shift={chosen} entries={entries} day={day} save={save} />
      )}
    </Dialog>
  );
};
