import { peopleBy, type Services } from '../delivery/targets/people.ts';
import type { SendToPerson } from '../delivery/targets/person.ts';
import type { ChannelKind } from '../domain/people/channel.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, unmeasured } from '../observability/metrics.ts';
import type { Messengers } from './messengers.ts';

/** What a host provides of it. */
type Host = Pick<Services, 'settings' | 'mail' | 'webhookClient'> & {
  messengers?: () => Promise<Messengers>;
  log: Log;
  metrics?: Metrics;
};

/** How a function reaches people by what its host provides. Letters that were not taken are logged and counted. */
export const peopleOf = async (
  host: Host,
  openPushKey: (sealed: string) => Promise<string>,
): Promise<{ person: SendToPerson; channelKinds: readonly ChannelKind[] }> => {
  const { log, metrics = unmeasured, messengers } = host;
  const { kinds, send } = peopleBy({ ...host, ...(await messengers?.()), openPushKey });
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
