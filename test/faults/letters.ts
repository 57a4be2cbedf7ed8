import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Chaos } from './chaos.ts';
import type { Lives } from './lives.ts';

/** A letter that a service took: by its address, the hit and its message that the letter is about. */
type Taken = { by: ChannelKind; hitId: number; message: number };

const TOLD = /\/acknowledge\/(\d+)-(\d+)-/;

/** Services for people, which refuse letters, or take them without an answer, at the rate of `letters`. */
export const createLetters = ({ rates, strikes }: Chaos, { isDead }: Pick<Lives, 'isDead'>) => {
  const taken: Taken[] = [];
  const taking =
    (by: ChannelKind) =>
    async (_: string, ...texts: string[]) => {
      if (isDead()) throw new Error('a dead process sends nothing');
      if (strikes(rates().letters)) throw new Error('the service took nothing');
      const [, hitId, message] = TOLD.exec(texts.join('\n')) ?? [];
      // Others are mails to managers.
      if (hitId !== undefined) taken.push({ by, hitId: Number(hitId), message: Number(message) });
      if (strikes(rates().letters)) throw new Error('the answer of the service was lost');
    };
  return {
    taken,
    wrap: (runtime: Runtime): Runtime => ({
      ...runtime,
      mail: taking('email'),
      messengers: async () => ({
        sms: taking('sms'),
        telegram: (...given) =>
          taking('telegram')(...given).then(
            () => 'accepted' as const,
            () => ({ retry: 'unavailable' }),
          ),
      }),
    }),
  };
};
