import { Alert, Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Delivery, Webhook } from 'openapi';
import { ok } from '../../client/problem.ts';
import { api } from '../api/client.ts';
import { managers } from '../session/may.ts';
import { useMay } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { webhooksQuery } from './watched.ts';

/** How many things are known as seen: the newest. */
const SEEN = 200;

/** The query for the deliveries that failed for good, as far as the API looks for them. They failed after days, mostly. */
const failedQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['deliveries', 'failed', customerId],
    refetchInterval: 300_000,
    queryFn: async (): Promise<readonly Delivery[]> => {
      const params = { path: { customerId }, query: { state: 'failed' as const, perPage: 50 } };
      const [page] = await ok(api.GET('/customers/{customerId}/deliveries', { params }));
      return page?.data.filter(({ replayOf }) => replayOf === null) ?? [];
    },
  });

/** Something that somebody should see: a webhook that was switched off, or whose deliveries failed for good. */
type Trouble = { key: string; webhook: Webhook; failed: readonly Delivery[] };

const troublesOf = (webhooks: readonly Webhook[], deliveries: readonly Delivery[]): Trouble[] =>
  webhooks.flatMap((webhook) => {
    const { id, isEnabled, disabledReason, updateDate } = webhook;
    const failed = deliveries.filter(({ webhookId }) => webhookId === id);
    const off = !isEnabled && disabledReason !== null ? [{ key: `${id} off ${updateDate}`, webhook, failed: [] }] : [];
    return [...off, ...(failed[0] ? [{ key: `${id} failed ${failed[0].id}`, webhook, failed }] : [])];
  });

const One = ({ trouble: { webhook, failed }, onSeen }: { trouble: Trouble; onSeen: () => void }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const [newest] = failed;
  return (
    <li className="trouble">
      <NameLink href={newest ? `/deliveries/${webhook.id}?state=failed` : `/webhooks/${webhook.id}`}>
        {webhook.name}
      </NameLink>
      <span>{newest ? texts.failedForGood(failed.length, dates.exact(newest.createDate)) : texts.switchedOff}</span>
      <Button size="xs" variant="white" color="red" onClick={onSeen} aria-label={`${texts.seen}: ${webhook.name}`}>
        {texts.seen}
      </Button>
    </li>
  );
};

/** Says in red which webhooks were switched off or failed for good, until somebody at this browser has seen it. */
export const Troubles = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const isManager = useMay()(managers);
  const [seen, setSeen] = useLocalStorage<string[]>({ key: 'seen', defaultValue: [], getInitialValueInEffect: false });
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery(customerId), enabled: isManager });
  const { data: failed = [] } = useQuery({ ...failedQuery(customerId), enabled: isManager });
  const troubles = troublesOf(webhooks, failed).filter(({ key }) => !seen.includes(key));
  if (troubles.length === 0) return null;
  return (
    <section aria-label={texts.troubles}>
      <Alert color="red" variant="filled" role="note" title={texts.troubles} className="unwatched">
        <ul className="names">
          {troubles.map((trouble) => (
            <One
              key={trouble.key}
              trouble={trouble}
              onSeen={() => setSeen((before) => [...before, trouble.key].slice(-SEEN))}
            />
          ))}
        </ul>
      </Alert>
    </section>
  );
};
