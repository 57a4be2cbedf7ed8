import { Alert, Button } from '@mantine/core';
import { ok } from '#lib/client/problem.ts';
import type { Watch } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { managers } from '../session/may.ts';
import { useMay } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';

type Trouble = Watch['troubles'][number];

/** The webhook, or what it was not told. Both are for those who may manage webhooks. */
const Name = ({ trouble: { webhookId, name, failedDeliveries } }: { trouble: Trouble }) => {
  const isManager = useMay()(managers);
  if (!isManager) return <bdi>{name}</bdi>;
  const href = failedDeliveries > 0 ? `/deliveries/${webhookId}?state=failed` : `/webhooks/${webhookId}`;
  return <NameLink href={href}>{name}</NameLink>;
};

const One = ({ trouble }: { trouble: Trouble }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const { webhookId, name, isSwitchedOff, failedDeliveries, date } = trouble;
  const see = useWrite({
    send: () => ok(api.PUT('/webhooks/{webhookId}/seen', { params: { path: { webhookId } }, body: { date } })),
  });
  return (
    <li className="trouble">
      <Name trouble={trouble} />
      {isSwitchedOff && <span>{texts.disabledByService}</span>}
      {failedDeliveries > 0 && <span>{texts.failedPermanently(failedDeliveries, dates.exact(date))}</span>}
      <Button
        size="xs"
        variant="white"
        color="red"
        loading={see.isPending}
        onClick={() => see.mutate()}
        aria-label={`${texts.markSeen}: ${name}`}
      >
        {texts.markSeen}
      </Button>
    </li>
  );
};

/** Says in red which webhooks were switched off or failed for good, until somebody has seen it. */
export const Troubles = ({ watch: { troubles } }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  if (troubles.length === 0) return null;
  return (
    <section aria-label={texts.webhookProblems}>
      <Alert color="red" variant="filled" role="note" title={texts.webhookProblems} className="unwatched">
        <ul className="names">
          {troubles.map((trouble) => (
            <One key={trouble.webhookId} trouble={trouble} />
          ))}
        </ul>
      </Alert>
    </section>
  );
};
