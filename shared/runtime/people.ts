import { peopleBy, type Services } from '../delivery/targets/people.ts';
import type { SendToPerson } from '../delivery/targets/person.ts';
import type { ChannelKind } from '../domain/people/channel.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, unmeasured } from '../observability/metrics.ts';
import type { Messengers } from './messengers.ts';

/** The services that a host provides. */
type Host = Pick<Services, 'settings' | 'mail' | 'webhookClient' | 'now' | 'chatPauses'> & {
  messengers?: () => Promise<Messengers>;
  log: Log;
  metrics?: Metrics;
};

/** Returns a function that notifies people through the services of its host, and logs and counts what was not accepted. */
export const peopleOf = async (
  host: Host,
  openPushKey: (encrypted: string) => Promise<string>,
): Promise<{ person: SendToPerson; channelKinds: readonly ChannelKind[] }> => {
  const { log, metrics = unmeasured, messengers } = host;
  const { kinds, send } = peopleBy({ ...host, ...(await messengers?.()), openPushKey });
  return {
    channelKinds: kinds,
    person: async (channel, notification) => {
      const outcome = await send(channel, notification);
      if (typeof outcome === 'object' && 'retry' in outcome) {
        log('error', 'a notification was not accepted', { by: channel.by, reason: outcome.retry });
        metrics.measure('LettersFailed');
      }
      return outcome;
    },
  };
};
