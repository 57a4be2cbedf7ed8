import type { SendToPerson } from '../delivery/targets/person.ts';
import { type PersonServices, personSenderFor } from '../delivery/targets/person-sender.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import type { Messengers } from './messengers.ts';

/** The services provided by a host. */
type Host = Pick<PersonServices, 'settings' | 'mail' | 'webhookClient' | 'now' | 'chatPauses'> & {
  messengers?: () => Promise<Messengers>;
  log: Log;
  metrics?: Metrics;
};

/** Returns a function that notifies people through the host services, and logs and counts what was not accepted. */
export const peopleOf = async (
  host: Host,
  openPushKey: (encrypted: string) => Promise<string>,
): Promise<{ person: SendToPerson }> => {
  const { log, metrics = noMetrics, messengers } = host;
  const send = personSenderFor({ ...host, ...(await messengers?.()), openPushKey });
  return {
    person: async (channel, notification, reference) => {
      const outcome = await send(channel, notification, reference);
      if (typeof outcome === 'object' && 'retry' in outcome) {
        const { retry: reason, answer } = outcome;
        log('error', 'a notification was not accepted', { by: channel.by, reason, answer });
        metrics.measure('LettersFailed');
      }
      return outcome;
    },
  };
};
