import { CheckIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import type { RosterPerson } from '#openapi';
import { useTexts } from '../texts/texts.tsx';
import { useRosterTexts } from './texts.ts';

/** The channels by which a person can be reached, or a note that there are none. */
export const Reach = ({ reachableBy }: Pick<RosterPerson, 'reachableBy'>) => {
  const { ways } = useTexts().overview;
  const texts = useRosterTexts();
  if (reachableBy.length === 0)
    return (
      <span className="reached none">
        <ExclamationTriangleIcon className="icon" />
        {texts.noChannel}
      </span>
    );
  return (
    <span className="reached">
      <CheckIcon className="icon" />
      {reachableBy.map((by) => ways[by]).join(', ')}
    </span>
  );
};
