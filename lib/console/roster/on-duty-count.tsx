import { UsersIcon } from '@heroicons/react/24/outline';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { dutyQuery } from '../account/queries.ts';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

/** How often (ms) every page reads who is on duty. The roster itself is read more often. */
const INTERVAL_MS = 120_000;

/** How many people are on duty, with a link to the roster. */
export const OnDutyCount = ({ customerId }: { customerId: number }) => {
  const texts = useTexts();
  const { display: isDisplay } = useMe();
  const { data: onDuty } = useQuery({ ...dutyQuery(customerId), refetchInterval: INTERVAL_MS });
  if (!onDuty) return null;
  const content = (
    <>
      <UsersIcon className="icon" />
      {texts.onDuty(onDuty.length)}
    </>
  );
  if (isDisplay) return <span className="read not-phone">{content}</span>;
  return (
    <Link href="/roster" className="read not-phone">
      {content}
    </Link>
  );
};
