import { ChevronLeftIcon, ChevronRightIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { dayAfter } from '#shared/domain/time/calendar.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';
import { useCan } from '../session/session.tsx';
import { ReadOnly } from '../shell/refused.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { Head } from '../ui/head.tsx';
import { useNow } from '../ui/now.ts';
import { Loaded } from '../ui/states.tsx';
import { AddShift, type NewShift } from './add-shift.tsx';
import { CopyWeek } from './copy-week.tsx';
import { coverageOf, dutyRules, gapsIn, type Span } from './coverage.ts';
import { DayList } from './day-list.tsx';
import { type Chosen, EditShift } from './edit-shift.tsx';
import { rosteredFirst, withMovedShift } from './entries.ts';
import { Gaps } from './gaps.tsx';
import { OnDutyNow } from './on-duty.tsx';
import { type RosterData, rosterQuery, useRosterEdit } from './queries.ts';
import { RosterTable } from './table.tsx';
import { useRosterDates, useRosterTexts } from './texts.ts';
import type { RosterView } from './view.ts';
import { daysFrom, mondayOf, todayIn, type Week, weekOf, weeksAfter } from './week.ts';

const MINUTE = 60_000;
/** How many days to check for gaps. */
const DAYS_AHEAD = 14;

/** Returns the coverage for the week shown, and the upcoming gaps. */
const useCoverage = (
  { timeZone, entries, people, rules, onDuty }: RosterData,
  week: Week,
  today: string,
  now: number,
) => {
  const needing = useMemo(() => dutyRules(rules), [rules]);
  const { spans, gaps } = useMemo(() => {
    const plan = { roster: entries, timeZone, people, rules: needing, onDuty, now };
    const ahead = coverageOf(daysFrom(today, DAYS_AHEAD), plan);
    return { spans: coverageOf(daysFrom(week.monday, 7), plan), gaps: gapsIn(ahead, now) };
  }, [entries, timeZone, people, needing, onDuty, now, week.monday, today]);
  return { spans, gaps, isNobodyNeeded: needing.length === 0 };
};

type WeekButtonsProps = { week: Week; go: (monday: string) => void; today: string };
const WeekButtons = ({ week, go, today }: WeekButtonsProps) => {
  const texts = useRosterTexts();
  return (
    <Group gap="xs">
      <ActionIcon
        variant="default"
        size={44}
        aria-label={texts.previous}
        disabled={week.isFirst}
        onClick={() => go(dayAfter(week.monday, -7))}
      >
        <ChevronLeftIcon className="icon" />
      </ActionIcon>
      <Button variant="default" disabled={week.isFirst} onClick={() => go(mondayOf(today))}>
        {texts.thisWeek}
      </Button>
      <ActionIcon
        variant="default"
        size={44}
        aria-label={texts.next}
        disabled={week.isLast}
        onClick={() => go(dayAfter(week.monday, 7))}
      >
        <ChevronRightIcon className="icon" />
      </ActionIcon>
    </Group>
  );
};

/** Notes about what the roster cannot show. */
const Notes = ({ isNobodyNeeded, lockedOut }: { isNobodyNeeded: boolean; lockedOut: number }) => {
  const texts = useRosterTexts();
  return (
    <>
      {isNobodyNeeded && (
        <Text>
          {texts.noRule}{' '}
          <Anchor component={Link} href="/rules">
            {texts.toRules}
          </Anchor>
        </Text>
      )}
      {lockedOut > 0 && <Alert color="yellow">{texts.lockedOut(lockedOut)}</Alert>}
    </>
  );
};

type Open = { kind: 'add'; shift: NewShift } | { kind: 'edit'; chosen: Chosen } | { kind: 'copy' } | null;

type DialogsProps = { data: RosterData; open: Open; week: Week; today: string; onClose: () => void };
const Dialogs = ({ data, open, week, today, onClose }: DialogsProps) => {
  const dates = useRosterDates(data.timeZone);
  const { customerId, people, entries } = data;
  const common = { customerId, people, entries, onClose };
  if (open?.kind === 'add') return <AddShift {...common} week={week} shift={open.shift} />;
  if (open?.kind === 'edit') return <EditShift {...common} chosen={open.chosen} day={dates.long(open.chosen.date)} />;
  if (open?.kind === 'copy')
    return (
      <CopyWeek
        {...common}
        userIds={people.map(({ userId }) => userId)}
        week={week}
        targets={weeksAfter(week.monday, today)}
        formatWeek={dates.week}
      />
    );
  return null;
};

const Roster = (data: RosterData) => {
  const texts = useRosterTexts();
  const { customerId, timeZone, entries, people, onDuty } = data;
  const dates = useRosterDates(timeZone);
  const now = useNow(MINUTE);
  const today = todayIn(timeZone, now);
  const isAllowed = useCan()('manage_rules');
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [monday, go] = useState(mondayOf(today));
  const [open, setOpen] = useState<Open>(null);
  const week = weekOf(monday, today, dates.short);
  const { spans, gaps, isNobodyNeeded } = useCoverage(data, week, today, now);
  const userIds = people.map(({ userId }) => userId);
  const move = useRosterEdit(customerId, userIds, () => {});
  const add = (shift: NewShift) => setOpen({ kind: 'add', shift });
  const fill = ({ from, to }: Span) => {
    const begin = wallTime(from, timeZone);
    go(mondayOf(begin.date));
    add({ userId: null, dates: [begin.date], hours: { from: begin.clock, to: wallTime(to, timeZone).clock } });
  };
  const onChoose = isAllowed ? (chosen: Chosen) => setOpen({ kind: 'edit', chosen }) : null;
  const view: RosterView = {
    people: rosteredFirst(people, entries),
    entries,
    week,
    timeZone,
    spans,
    onDuty,
    now,
    onChoose,
  };
  const lockedOut = new Set(entries.map(({ userId }) => userId).filter((userId) => !userIds.includes(userId))).size;
  return (
    <Stack>
      <Group justify="space-between">
        <WeekButtons week={week} go={go} today={today} />
        {isAllowed && (
          <Group gap="sm">
            <Button
              variant="default"
              disabled={weeksAfter(monday, today).length === 0}
              onClick={() => setOpen({ kind: 'copy' })}
            >
              {texts.copyWeek}
            </Button>
            <Button disabled={people.length === 0} onClick={() => add({ userId: null, dates: [] })}>
              {texts.add}
            </Button>
          </Group>
        )}
      </Group>
      <Text c="dimmed">{texts.zone(dates.week(monday, dayAfter(monday, 6)), timeZone)}</Text>
      {!isAllowed && <ReadOnly needs="manage_rules" />}
      <Gaps gaps={gaps} timeZone={timeZone} onAdd={isAllowed ? fill : null} />
      <Notes isNobodyNeeded={isNobodyNeeded} lockedOut={lockedOut} />
      <OnDutyNow onDuty={onDuty} timeZone={timeZone} />
      {people.length === 0 && <Text className="empty">{texts.empty}</Text>}
      {isPhone ? (
        <DayList view={view} />
      ) : (
        <RosterTable
          view={view}
          onSelect={(userId, days) => add({ userId, dates: days })}
          onMove={(shift, to) => move.mutate((all) => withMovedShift(all, shift, to.userId, to.date))}
        />
      )}
      <Text size="sm" c="dimmed">
        {[texts.legend, isAllowed && !isPhone && texts.dragHint, texts.pastHint].filter(Boolean).join(' ')}
      </Text>
      <Dialogs data={data} open={open} week={week} today={today} onClose={() => setOpen(null)} />
    </Stack>
  );
};

const RosterOf = ({ customerId }: { customerId: number }) => (
  <Loaded query={useQuery(rosterQuery(customerId))}>{(data) => <Roster {...data} />}</Loaded>
);

/** The roster page: who is on duty when, and the hours when no one is on duty even though a rule needs someone. */
export const RosterPage = () => {
  const texts = useRosterTexts();
  return (
    <>
      <Head title={texts.title} />
      <WithCustomer>{(customerId) => <RosterOf customerId={customerId} />}</WithCustomer>
    </>
  );
};
