import { Button } from '@mantine/core';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Watch } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';

type Problem = Watch['troubles'][number];

/** A link to the webhook or its failed deliveries, for users who can manage webhooks. Other users see the name. */
const Name = ({ problem: { webhookId, name, failedDeliveries } }: { problem: Problem }) => {
  const isManager = useCan()(managers);
  if (!isManager) return <bdi>{name}</bdi>;
  const href = failedDeliveries > 0 ? `/deliveries/${webhookId}?state=failed` : `/webhooks/${webhookId}`;
  return <NameLink href={href}>{name}</NameLink>;
};

const ProblemItem = ({ problem, onSeen }: { problem: Problem; onSeen: () => void }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const { webhookId, name, isSwitchedOff, failedDeliveries, date } = problem;
  const markSeen = useWrite({
    send: () => ok(api.PUT('/webhooks/{webhookId}/seen', { params: { path: { webhookId } }, body: { date } })),
    onDone: onSeen,
  });
  return (
    <li className="problem">
      <Name problem={problem} />
      {isSwitchedOff && <span>{texts.disabledByService}</span>}
      {failedDeliveries > 0 && <span>{texts.failedPermanently(failedDeliveries, dates.exact(date))}</span>}
      <Button
        size="xs"
        variant="default"
        loading={markSeen.isPending}
        onClick={() => markSeen.mutate()}
        aria-label={`${texts.markSeen}: ${name}`}
      >
        {texts.markSeen}
      </Button>
    </li>
  );
};

/** Lists webhooks that were disabled or whose deliveries failed permanently, until someone marks them as seen. */
export const WebhookProblems = ({ watch: { troubles } }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  // The watch is up to a minute old, so it still contains the problems just marked as seen.
  const [seen, setSeen] = useState<Readonly<Record<string, number>>>({});
  const problems = troubles.filter(({ webhookId, date }) => date > (seen[webhookId] ?? 0));
  if (problems.length === 0) return null;
  return (
    <Panel title={texts.webhookProblems} isGap>
      <ul className="names">
        {problems.map((problem) => (
          <ProblemItem
            key={problem.webhookId}
            problem={problem}
            onSeen={() => setSeen({ ...seen, [problem.webhookId]: problem.date })}
          />
        ))}
      </ul>
    </Panel>
  );
};
