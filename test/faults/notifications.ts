import type { Clock } from '#lib/local/clock.ts';
import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Chaos } from './chaos.ts';
import type { Lives } from './lives.ts';

/** A notification accepted by a service: the channel, and the hit and message in the acknowledgement link. */
type Accepted = { by: ChannelKind; hitId: number; message: number };
/** An email to a rule manager, and when (ms) the service accepted it. */
type ManagerMail = { to: string; subject: string; at: number };

const ACKNOWLEDGE_LINK = /\/acknowledge\/(\d+)-(\d+)-/;

/**
 * Creates messaging services that reject notifications, or accept them without a response, at the rate `notifications`.
 * Those in `servicesDown` are down.
 */
export const createNotifications = (
  { rates, strikes, note }: Chaos,
  { isDead }: Pick<Lives, 'isDead'>,
  { now }: Pick<Clock, 'now'>,
) => {
  const accepted: Accepted[] = [];
  const managerMails: ManagerMail[] = [];
  const serviceFor =
    (by: ChannelKind) =>
    async (to: string, ...parts: (string | object | undefined)[]) => {
      if (isDead()) throw new Error('a dead process sends nothing');
      if (rates().servicesDown?.includes(by)) {
        note();
        throw Object.assign(new Error('the service is down'), { name: 'ThrottlingException' });
      }
      if (strikes(rates().notifications)) throw new Error('the service accepted nothing');
      const [, hitId, message] =
        ACKNOWLEDGE_LINK.exec(parts.filter((part) => typeof part === 'string').join('\n')) ?? [];
      // Emails to managers have no link.
      if (hitId === undefined) managerMails.push({ to, subject: String(parts[0]), at: now() });
      else accepted.push({ by, hitId: Number(hitId), message: Number(message) });
      if (strikes(rates().notifications)) throw new Error('the response of the service was lost');
    };
  return {
    accepted,
    managerMails,
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
