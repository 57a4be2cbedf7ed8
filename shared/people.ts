import { peopleBy } from './delivery/targets/people.ts';
import type { SendToPerson } from './delivery/targets/person.ts';
import type { Runtime } from './deps.ts';
import type { ChannelKind } from './domain/channel.ts';
import { unmeasured } from './metrics.ts';

/** How a function reaches people by what its host provides. Letters that were not taken are logged and counted. */
export const peopleOf = async (
  runtime: Runtime,
  openPushKey: (sealed: string) => Promise<string>,
): Promise<{ person: SendToPerson; channelKinds: readonly ChannelKind[] }> => {
  const { log, metrics = unmeasured, messengers } = runtime;
  const { kinds, send } = peopleBy({ ...runtime, ...(await messengers?.()), openPushKey });
  return {
    channelKinds: kinds,
    person: async (channel, letter) => {
      const outcome = await send(channel, letter);
      if (typeof outcome === 'object') {
        log('error', 'a letter to a person was not taken', { by: channel.by, reason: outcome.retry });
        metrics.measure('LettersFailed');
      }
      return outcome;
    },
  };
};
