import { ArrowPathIcon, CheckIcon, ClockIcon, ExclamationTriangleIcon, PauseIcon } from '@heroicons/react/24/outline';
import type { ComponentType } from 'react';
import type { Delivery } from '#openapi';
import { State, type StateKind } from '../ui/state.tsx';
import { useDeliveryTexts } from './texts.ts';

const looks = {
  pending: ['plain', ClockIcon],
  sending: ['plain', ClockIcon],
  delivered: ['ok', CheckIcon],
  retrying: ['waiting', ArrowPathIcon],
  held: ['waiting', PauseIcon],
  failed: ['failed', ExclamationTriangleIcon],
} as const satisfies Record<Delivery['state'], [StateKind, ComponentType<{ className: string }>]>;

export const StateIcon = ({ state }: Pick<Delivery, 'state'>) => {
  const [, Icon] = looks[state];
  return <Icon className="icon" />;
};

/** A delivery state badge. It is never red, because red means that someone needs help. */
export const StateBadge = ({ state }: Pick<Delivery, 'state'>) => {
  const texts = useDeliveryTexts();
  const [kind] = looks[state];
  return (
    <State kind={kind} icon={<StateIcon state={state} />}>
      {texts.states[state]}
    </State>
  );
};
