import { CheckIcon } from '@heroicons/react/24/outline';
import { Button, Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { WatchGap as Gap, Rule, Watch } from '#openapi';
import { api } from '../api/client.ts';
import { managers, type Needs } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { usePermissionNames } from '../shell/refused.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Panel } from '../ui/panel.tsx';
import { useAlarms } from './alarms-provider.tsx';
import { roomNameOf } from './room-name.ts';
import { MAX_PER_PAGE, webhooksQuery } from './watch-queries.ts';

/** The steps to the first alarm, each with the page where it is done. */
const steps = {
  customer: { href: '/customers/new', needs: 'system_admin' },
  sensor: { href: '/sensors' },
  bot: { href: '/bots', needs: 'manage_bots' },
  webhook: { href: '/webhooks/new', needs: managers },
  rule: { href: '/rules/new', needs: 'manage_rules' },
  offline: { href: '/rules/new?situation=sensor_inactive', needs: 'manage_rules' },
} as const satisfies Record<string, { href: string; needs?: Needs }>;
type Step = keyof typeof steps;
const names = Object.keys(steps) as Step[];

/**
 * Returns what has been created since the watch was computed. The watch is up to a minute old, but a step must be
 * marked as done as soon as the user returns from it. Nothing is read once all steps are done.
 */
const useCreated = (customerId: number, watch: Watch | undefined) => {
  const can = useCan();
  const isMissing = (kind: Gap['kind']): boolean => watch?.gaps.some((gap) => gap.kind === kind) ?? false;
  const lacksRule = watch?.rules === 0 || watch?.fallsTold === 'none' || isMissing('no_rule_for_silence');
  const rules = useQuery({
    queryKey: ['rules', 'enabled', customerId],
    enabled: lacksRule && can('manage_rules'),
    queryFn: () => ok(api.GET('/rules', { params: { query: { customerId, perPage: MAX_PER_PAGE } } })),
  }).data;
  const sensors = useQuery({
    queryKey: ['sensors', 'exist', customerId],
    enabled: watch?.sensors === 0,
    queryFn: () => ok(api.GET('/sensors', { params: { query: { customerId, perPage: 1 } } })),
  }).data;
  const listed = rules?.[0]?.data ?? [];
  return {
    hasSensor: (sensors?.[0]?.total ?? 0) > 0,
    hasRules: listed.length > 0,
    hasRule: (situation: Rule['situation']) => listed.some((rule) => rule.isEnabled && rule.situation === situation),
  };
};

/**
 * Returns which steps are done. A rule needs a person or a bot webhook, so once there is a rule, the steps before it
 * count as done.
 */
const useDone = (customerId: number): Record<Step, boolean> | undefined => {
  const can = useCan();
  const watch = useAlarms()?.watch;
  const created = useCreated(customerId, watch);
  const isNew = watch?.rules === 0 && !created.hasRules;
  const webhooks = useQuery({ ...webhooksQuery(customerId), enabled: isNew && can(managers) }).data;
  const bots = useQuery({
    queryKey: ['bots', 'count', customerId],
    enabled: isNew && can('manage_bots'),
    queryFn: () => ok(api.GET('/bots', { params: { query: { customerId } } })),
  }).data;
  if (!watch) return undefined;
  const isLoading = (can(managers) && !webhooks) || (can('manage_bots') && !bots);
  if (isNew && isLoading) return undefined;
  const has = (list: readonly unknown[] | undefined): boolean => !isNew || (list?.length ?? 0) > 0;
  return {
    customer: true,
    sensor: watch.sensors > 0 || created.hasSensor,
    bot: has(bots),
    webhook: has(webhooks?.[0]?.data),
    rule: watch.fallsTold !== 'none' || created.hasRule('fall_detected'),
    offline: watch.isSilenceTold || created.hasRule('sensor_inactive'),
  };
};

type ItemProps = { step: Step; isDone: boolean; isNext: boolean; isPossible: boolean };
const Item = ({ step, isDone, isNext, isPossible }: ItemProps) => {
  const { checklist: texts, refused } = useTexts();
  const { href, needs }: { href: string; needs?: Needs } = steps[step];
  const isAllowed = useCan()(needs);
  const permissions = usePermissionNames(needs ?? 'system_admin');
  const [title, text] = texts.steps[step];
  return (
    <li className={`step${isDone ? ' done' : ''}${isNext ? ' next' : ''}`}>
      <span className="number" aria-hidden>
        {isDone ? <CheckIcon className="icon" /> : names.indexOf(step) + 1}
      </span>
      <div>
        <h3>{title}</h3>
        <VisuallyHidden>{isDone ? texts.done : texts.toDo}</VisuallyHidden>
        {!isDone && <Text>{text}</Text>}
        {!isDone && !isAllowed && (
          <Text size="sm">
            {permissions === null ? refused.adminOnly : `${refused.needs(permissions)} ${refused.grantedBy}`}
          </Text>
        )}
      </div>
      {!isDone && isAllowed && isPossible && (
        <Button
          component={Link}
          href={href}
          aria-label={`${texts.start}: ${title}`}
          variant={isNext ? 'filled' : 'default'}
          ml="auto"
        >
          {texts.start}
        </Button>
      )}
    </li>
  );
};

const noneDone: Record<Step, boolean> = {
  customer: false,
  sensor: false,
  bot: false,
  webhook: false,
  rule: false,
  offline: false,
};

/**
 * An example of how the station will show an alarm. It is never shown beside a real one, because it could be mistaken
 * for one.
 */
const Preview = () => {
  const { checklist: texts, overview, sensors } = useTexts();
  const { number, word, rest } = roomNameOf(sensors.roomExample);
  return (
    <Panel title={texts.preview}>
      <div className="first-alarm">
        <span>{word}</span>
        <b>{number}</b>
        <strong>{overview.nobodyIsOnIt(overview.fall)}</strong>
        <span>{rest}</span>
      </div>
      <p className="meta">{texts.previewOf}</p>
    </Panel>
  );
};

type StepsProps = { done: Record<Step, boolean>; onHide?: () => void };
const Steps = ({ done, onHide }: StepsProps) => {
  const { checklist: texts } = useTexts();
  const can = useCan();
  const alarms = useAlarms();
  const isCalm = alarms === null || (alarms.rows.length === 0 && alarms.more === 0);
  const next = names.find((name) => !done[name]);
  const isWork = names.some((name) => !done[name] && can((steps[name] as { needs?: Needs }).needs));
  if (!next || !isWork) return null;
  return (
    <div className={isCalm ? 'cols alarm-cols' : undefined}>
      <Paper component="section" aria-label={texts.title} withBorder p="lg">
        <Group justify="space-between" mb="sm">
          <div>
            <Title order={2}>{texts.title}</Title>
            <Text className="meta">{texts.effort}</Text>
          </div>
          {onHide && (
            <Button variant="default" onClick={onHide}>
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
      {isCalm && <Preview />}
    </div>
  );
};

const CustomerChecklist = ({ customerId }: { customerId: number }) => {
  const [hidden, setHidden] = useLocalStorage<number[]>({ key: 'checklist hidden', defaultValue: [] });
  const done = useDone(customerId);
  if (!done || hidden.includes(customerId)) return null;
  return <Steps done={done} onHide={() => setHidden([...hidden, customerId])} />;
};

/**
 * The steps to the first alarm, until all are done or the user hides the list. Hidden from users who cannot do any of
 * the steps.
 */
export const Checklist = ({ customerId }: { customerId: number | null }) =>
  customerId === null ? <Steps done={noneDone} /> : <CustomerChecklist customerId={customerId} />;
