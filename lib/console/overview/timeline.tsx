import {
  CheckIcon,
  ChevronDoubleUpIcon,
  ExclamationTriangleIcon,
  PaperAirplaneIcon,
} from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import type { RuleHit } from '#openapi';
import type { Texts } from '../texts/en.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { GoingIcon, LyingIcon } from '../ui/state-icons.tsx';
import type { Alarm } from './alarms.ts';

/** An entry in an alarm timeline. */
type Entry = { at: number; key: string; icon: ReactNode; what: ReactNode; more?: ReactNode };
type Words = { texts: Texts; second: (time: number) => string };

const sent = <PaperAirplaneIcon className="icon" />;
const failed = <ExclamationTriangleIcon className="icon" />;

const entryOfMessage = (message: RuleHit['ruleMessages'][number], { texts, second }: Words): Entry[] => {
  const { id, sendTryTimes: times, wasSend, extra, step } = message;
  const { overview } = texts;
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [];
  const repeated =
    times.length > 1 ? overview.sentTimes(times.length, second(first)) : overview.notifiedAt(second(first));
  return [
    {
      at: first,
      key: `message ${id}`,
      icon: wasSend ? step > 0 ? <ChevronDoubleUpIcon className="icon" /> : sent : failed,
      what: <bdi>{extra.display_name || overview.someone}</bdi>,
      more: `${step > 0 ? `${overview.escalating(step)}, ` : ''}${wasSend ? repeated : overview.notNotified(times.length, second(last))}`,
    },
  ];
};

const entriesOfHit = (hit: RuleHit, words: Words): Entry[] => {
  const { overview, situations } = words.texts;
  const { id, createDate, situation, ruleMessages, nobodyOnDuty, unansweredDate } = hit;
  return [
    { at: createDate, key: `hit ${id}`, icon: <LyingIcon />, what: situations[situation] },
    ...ruleMessages.flatMap((message) => entryOfMessage(message, words)),
    ...(nobodyOnDuty ? [{ at: createDate, key: `duty ${id}`, icon: failed, what: overview.nobodyOnDuty }] : []),
    ...(unansweredDate === null
      ? []
      : [
          {
            at: unansweredDate,
            key: `unanswered ${id}`,
            icon: failed,
            what: overview.unanswered(words.second(unansweredDate)),
          },
        ]),
  ];
};

const noteOf = (note: string | undefined) => (note ? { more: <bdi>{note}</bdi> } : {});

/** Returns what people did about an alarm. Every hit repeats the same actions, so each action is listed only once. */
const entriesOfPeople = ({ hits }: Alarm, { texts: { overview } }: Words): Entry[] => {
  const entries = hits.flatMap(({ acknowledgement: by, closure }): Entry[] => [
    ...(by
      ? [{ at: by.date, key: `by ${by.date}`, icon: <GoingIcon />, what: overview.isOnIt(by.name), ...noteOf(by.note) }]
      : []),
    ...(closure
      ? [
          {
            at: closure.date,
            key: `closure ${closure.date}`,
            icon: <CheckIcon className="icon" />,
            what: `${overview.closings[closure.outcome]} (${closure.name})`,
            ...noteOf(closure.note),
          },
        ]
      : []),
  ]);
  return [...new Map(entries.map((entry) => [entry.key, entry])).values()];
};

/** The alarm timeline: the sensor report, each notification with the result, and what people did. */
export const Timeline = ({ alarms }: { alarms: readonly Alarm[] }) => {
  const texts = useTexts();
  const { second } = useDates();
  const words = { texts, second };
  const entries = alarms
    .flatMap((alarm): Entry[] => [
      ...(alarm.fall
        ? [{ at: alarm.fall.since, key: `fall ${alarm.key}`, icon: <LyingIcon />, what: texts.overview.began }]
        : []),
      ...alarm.hits.flatMap((hit) => entriesOfHit(hit, words)),
      ...entriesOfPeople(alarm, words),
    ])
    .toSorted((entry, other) => entry.at - other.at);
  return (
    <ol className="timeline">
      {entries.map(({ at, key, icon, what, more }) => (
        <li key={key}>
          <time>{second(at)}</time>
          <span className="dot">{icon}</span>
          <div>
            <b>{what}</b>
            {more !== undefined && <span className="meta block">{more}</span>}
          </div>
        </li>
      ))}
    </ol>
  );
};
