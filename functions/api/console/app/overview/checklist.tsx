import { CheckCircleIcon } from '@heroicons/react/24/outline';
import { Button, Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { managers, type Needs } from '../session/may.ts';
import { useMay } from '../session/session.tsx';
import { useNamesOf } from '../shell/refused.tsx';
import { useTexts } from '../texts/texts.tsx';

/** The steps to the first alarm, each with the page on which it is done. */
const steps = {
  customer: { href: '/customers/new', needs: 'system_admin' },
  sensor: { href: '/sensors' },
  bot: { href: '/bots', needs: 'manage_bots' },
  webhook: { href: '/webhooks/new', needs: managers },
  rule: { href: '/rules/new', needs: 'manage_rules' },
} as const satisfies Record<string, { href: string; needs?: Needs }>;
type Step = keyof typeof steps;
const names = Object.keys(steps) as Step[];

const isSome = async (call: Promise<readonly { total: number }[]>): Promise<boolean> =>
  ((await call)[0]?.total ?? 0) > 0;

/** Which steps are done. A rule names a webhook of a bot, so with a rule these are taken as done. */
const useDone = (customerId: number | null) => {
  const may = useMay();
  return useQuery({
    queryKey: ['checklist', customerId],
    enabled: customerId !== null,
    // Whoever comes back from a step sees it ticked.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && Object.values(state.data).every(Boolean) ? false : 15_000),
    queryFn: async () => {
      const query = { customerId: customerId ?? 0, perPage: 1 };
      const [rule, sensor] = await Promise.all([
        isSome(ok(api.GET('/rules', { params: { query } }))),
        isSome(ok(api.GET('/sensors', { params: { query } }))),
      ]);
      const webhook = rule || (may(managers) && (await isSome(ok(api.GET('/webhooks', { params: { query } })))));
      const bots = { params: { query: { customerId: query.customerId } } };
      const bot = rule || (may('manage_bots') && (await ok(api.GET('/bots', bots))).length > 0);
      return { customer: true, sensor, bot, webhook, rule } satisfies Record<Step, boolean>;
    },
  });
};

type ItemProps = { step: Step; isDone: boolean; isNext: boolean; isPossible: boolean };
const Item = ({ step, isDone, isNext, isPossible }: ItemProps) => {
  const { checklist: texts, refused } = useTexts();
  const { href, needs }: { href: string; needs?: Needs } = steps[step];
  const isAllowed = useMay()(needs);
  const granted = useNamesOf(needs ?? 'system_admin');
  const [title, text] = texts.steps[step];
  return (
    <li className={isDone ? 'step done' : 'step'}>
      {isDone ? (
        <CheckCircleIcon className="icon" />
      ) : (
        <span className="number" aria-hidden>
          {names.indexOf(step) + 1}
        </span>
      )}
      <div>
        <Text fw={600}>{title}</Text>
        <VisuallyHidden>{isDone ? texts.done : texts.toDo}</VisuallyHidden>
        {!isDone && <Text size="sm">{text}</Text>}
        {!isDone && !isAllowed && (
          <Text size="sm">
            {granted === null ? refused.adminOnly : `${refused.needs(granted)} ${refused.grantedBy}`}
          </Text>
        )}
      </div>
      {!isDone && isAllowed && isPossible && (
        <Button
          component={Link}
          href={href}
          aria-label={`${texts.go}: ${title}`}
          size="xs"
          variant={isNext ? 'filled' : 'default'}
          ml="auto"
        >
          {texts.go}
        </Button>
      )}
    </li>
  );
};

/** Leads to the first alarm, step by step, as long as one is missing and the user has not hidden the list. */
export const Checklist = ({ customerId }: { customerId: number | null }) => {
  const { checklist: texts } = useTexts();
  const [hidden, setHidden] = useLocalStorage<number[]>({ key: 'checklist hidden', defaultValue: [] });
  const { data } = useDone(customerId);
  const done = customerId === null ? { customer: false, sensor: false, bot: false, webhook: false, rule: false } : data;
  if (!done || names.every((name) => done[name]) || (customerId !== null && hidden.includes(customerId))) return null;
  const next = names.find((name) => !done[name]);
  return (
    <Paper component="section" aria-label={texts.title} withBorder p="lg">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{texts.title}</Title>
        {customerId !== null && (
          <Button variant="default" size="xs" onClick={() => setHidden([...hidden, customerId])}>
            {texts.hide}
          </Button>
        )}
      </Group>
      <ol className="steps">
        {names.map((name) => (
          <Item
            key={name}
            step={name}
            isDone={done[name]}
            isNext={name === next}
            isPossible={done.customer || name === 'customer'}
          />
        ))}
      </ol>
    </Paper>
  );
};
