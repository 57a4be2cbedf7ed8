import { CheckIcon, ExclamationTriangleIcon, PaperAirplaneIcon } from '@heroicons/react/24/outline';
import type { ComponentType, ReactNode } from 'react';
import type { RuleHit } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import type { Row } from './board.ts';

type Message = RuleHit['ruleMessages'][number];

/** How long (ms) after the start of a fall its hit may arrive. */
const HIT_DELAY_MS = 15_000;

type StepProps = { icon: ComponentType<{ className: string }>; isBad?: boolean; children: ReactNode };
const Step = ({ icon: Icon, isBad = false, children }: StepProps) => (
  <li className={isBad ? 'bad' : undefined}>
    <Icon className="icon" />
    <span>{children}</span>
  </li>
);

/** A recipient with the results of all messages. Each escalation round sends another message. */
const Recipient = ({ name, messages }: { name: string; messages: readonly Message[] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const times = messages.flatMap(({ sendTryTimes }) => sendTryTimes).toSorted((a, b) => a - b);
  const wasSent = messages.some(({ wasSend }) => wasSend);
  const [first, last] = [times[0], times.at(-1)];
  const resultOf = (): string => {
    if (first === undefined || last === undefined) return texts.notNotifiedYet;
    if (!wasSent) return texts.notNotified(times.length, dates.second(last));
    return times.length > 1
      ? texts.sentTimes(times.length, dates.second(first))
      : texts.notifiedAt(dates.second(first));
  };
  return (
    <Step icon={wasSent ? CheckIcon : ExclamationTriangleIcon} isBad={!wasSent && times.length > 0}>
      <Name>{name}</Name>: {resultOf()}
    </Step>
  );
};

/** Who was notified of a row's alarms, and with what result. */
export const Ladder = ({ row, isKnown }: { row: Row; isKnown: boolean }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const now = useNow();
  const hits = row.items.flatMap(({ alarm }) => alarm?.hits ?? []);
  const nameOf = ({ extra }: Message): string => extra.display_name || texts.someone;
  const byName = Map.groupBy(
    hits.flatMap(({ ruleMessages }) => ruleMessages),
    nameOf,
  );
  const unanswered = hits.find(({ unansweredDate }) => unansweredDate !== null)?.unansweredDate ?? null;
  const isOld = now - row.since > HIT_DELAY_MS;
  const isSuspected = row.kind === 'suspected';
  const isConfirmed = row.items.some(({ fall }) => fall?.fallState === 'confirmed');
  const alarmBy = row.items.find(({ fall }) => fall?.alarmBy)?.fall?.alarmBy ?? null;
  return (
    <ul className="ladder" aria-label={texts.notified}>
      {[...byName].map(([name, messages]) => (
        <Recipient key={name} name={name} messages={messages} />
      ))}
      {byName.size === 0 && isKnown && isOld && !isSuspected && (
        <Step icon={ExclamationTriangleIcon} isBad>
          {texts.nobodyNotified}
        </Step>
      )}
      {byName.size === 0 && alarmBy !== null && (
        <Step icon={PaperAirplaneIcon}>{texts.alarmBy(dates.second(alarmBy))}</Step>
      )}
      {byName.size === 0 && alarmBy === null && isSuspected && (
        <Step icon={PaperAirplaneIcon}>{isConfirmed ? texts.alertFollows : texts.notConfirmed}</Step>
      )}
      {hits.some(({ nobodyOnDuty }) => nobodyOnDuty) && (
        <Step icon={ExclamationTriangleIcon} isBad>
          {texts.nobodyOnDuty}
        </Step>
      )}
      {unanswered !== null && (
        <Step icon={ExclamationTriangleIcon} isBad>
          {texts.unanswered(dates.second(unanswered))}
        </Step>
      )}
    </ul>
  );
};
