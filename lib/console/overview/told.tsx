import { CheckIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import type { RuleHit } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';

const One = ({ message: { wasSend, sendTryTimes, extra } }: { message: RuleHit['ruleMessages'][number] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const last = sendTryTimes.at(-1);
  const tries = sendTryTimes.length;
  const Icon = wasSend ? CheckIcon : ExclamationTriangleIcon;
  const result =
    last === undefined
      ? texts.telling
      : wasSend
        ? texts.toldAt(dates.second(last), tries)
        : texts.notTold(tries, dates.second(last));
  return (
    <li className={wasSend ? 'told' : 'told not'}>
      <Icon className="icon" />
      <span>
        <Name>{extra.display_name || texts.someone}</Name>: {result}
      </span>
    </li>
  );
};

/** Lists whom hits told, when, and how that went. */
export const Told = ({ hits }: { hits: readonly RuleHit[] }) => {
  const { overview: texts } = useTexts();
  const messages = hits.flatMap(({ ruleMessages }) => ruleMessages);
  if (messages.length === 0) return <p>{texts.toldNobody}</p>;
  return (
    <ul className="told-list" aria-label={texts.told}>
      {messages.map((message) => (
        <One key={message.id} message={message} />
      ))}
    </ul>
  );
};
