import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Chaos } from './chaos.ts';
import type { Lives } from './lives.ts';

/** A notification that a service accepted: its channel, and the hit and message in its acknowledgement link. */
type Accepted = { by: ChannelKind; hitId: number; message: number };

const ACKNOWLEDGE_LINK = /\/acknowledge\/(\d+)-(\d+)-/;

/** Creates messaging services that reject notifications, or accept them without a response, at the rate `notifications`. */
export const createNotifications = ({ rates, strikes }: Chaos, { isDead }: Pick<Lives, 'isDead'>) => {
  const accepted: Accepted[] = [];
  const serviceFor =
    (by: ChannelKind) =>
    async (_: string, ...parts: (string | object | undefined)[]) => {
      if (isDead()) throw new Error('a dead process sends nothing');
      if (strikes(rates().notifications)) throw new Error('the service accepted nothing');
      const [, hitId, message] =
        ACKNOWLEDGE_LINK.exec(parts.filter((part) => typeof part === 'string').join('\n')) ?? [];
      // Mails to managers have no link.
      if (hitId !== undefined) accepted.push({ by, hitId: Number(hitId), message: Number(message) });
      if (strikes(rates().notifications)) throw new Error('the response of the service was lost');
    };
  return {
    accepted,
    wrap: (runtime: Runtime): Runtime => ({
      ...runtime,
      mail: serviceFor('email'),
      messengers: async () => ({
        sms: serviceFor('sms'),
        telegram: (...args) =>
          serviceFor('telegram')(...args).then(
            () => 'accepted' as const,
            () => ({ retry: 'unavailable' }),
          ),
      }),
    }),
  };
};
