import { Select } from '@mantine/core';
import { useState } from 'react';
import type { RosterPerson } from '#openapi';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { weekdayOf } from '#shared/domain/time/calendar.ts';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { type Hours, usualHours, withDayOff, withShift, withWeeklyShift } from './entries.ts';
import { type Edit, useRosterEdit } from './queries.ts';
import { DayFields, faultIn, HoursFields } from './shift-fields.tsx';
import { useRosterTexts } from './texts.ts';
import type { Week } from './week.ts';

/** What is known when the dialog opens: whose shift it is, on which days, and at which hours. */
export type NewShift = { userId: number | null; dates: readonly string[]; hours?: Hours };

type Repeat = 'weekly' | 'days' | 'off';
type Draft = { userId: number; dates: readonly string[]; repeat: Repeat; hours: Hours };

/** The hours for a new shift if no others are suggested. */
const DAY_SHIFT: Hours = { from: '06:00', to: '14:00' };

const editOf =
  ({ userId, dates, repeat, hours }: Draft): Edit =>
  (entries) => {
    if (repeat === 'weekly') return withWeeklyShift(entries, userId, dates.map(weekdayOf), hours);
    const onDay = (before: RosterEntry[], date: string): RosterEntry[] =>
      repeat === 'off' ? withDayOff(before, userId, date) : withShift(before, userId, date, hours);
    return dates.reduce(onDay, [...entries]);
  };

type AddShiftProps = {
  customerId: number;
  people: readonly RosterPerson[];
  entries: readonly RosterEntry[];
  week: Week;
  shift: NewShift;
  onClose: () => void;
};

const Fields = ({ customerId, people, entries, week, shift, onClose }: AddShiftProps) => {
  const { save: label } = useTexts();
  const { dialog: texts, person } = useRosterTexts();
  const usual = usualHours(entries);
  const [userId, setUserId] = useState(shift.userId);
  const [dates, setDates] = useState(shift.dates);
  const [repeat, setRepeat] = useState<Repeat>(shift.hours ? 'days' : 'weekly');
  const [hours, setHours] = useState<Hours>(shift.hours ?? usual[0] ?? DAY_SHIFT);
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useRosterEdit(
    customerId,
    people.map(({ userId: id }) => id),
    onClose,
  );
  const submit = () => {
    setSubmitted(true);
    if (userId !== null && dates.length > 0) save.mutate(editOf({ userId, dates, repeat, hours }));
  };
  return (
    <Form action={label} isPending={save.isPending} onSubmit={submit}>
      <Select
        label={person}
        data={people.map(({ userId: id, name }) => ({ value: String(id), label: name }))}
        value={userId === null ? null : String(userId)}
        onChange={(id) => setUserId(id === null ? null : Number(id))}
        error={(isSubmitted && userId === null ? texts.needsPerson : undefined) ?? faultIn(save.error, 'userId')}
        searchable
        withAsterisk
        allowDeselect={false}
      />
      <Choice label={texts.repeat} options={texts.repeats} value={repeat} onChange={setRepeat} />
      <DayFields
        days={week.days.map(({ date, short, isPast }) => ({
          date,
          label: short,
          isPast: isPast && repeat !== 'weekly',
        }))}
        value={dates}
        onChange={setDates}
        error={(isSubmitted && dates.length === 0 ? texts.needsDay : undefined) ?? faultIn(save.error, 'date')}
      />
      {repeat !== 'off' && <HoursFields value={hours} onChange={setHours} usual={usual} error={save.error} />}
    </Form>
  );
};

/** A dialog for adding weekly shifts, shifts on some days, or days off. */
export const AddShift = (props: AddShiftProps) => {
  const { dialog: texts } = useRosterTexts();
  return (
    <Dialog opened onClose={props.onClose} title={texts.add}>
      <Fields {...props} />
    </Dialog>
  );
};
