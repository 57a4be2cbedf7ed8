import { Anchor, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { WatchGap as Gap, Watch } from '#openapi';
import { daysIn, formatDays } from '../rules/week.ts';
import { managers, type Needs } from '../session/permissions.ts';
import { useCan, useMe } from '../session/session.tsx';
import { useDates, useLocale, useTexts } from '../texts/texts.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { hasGap } from './watch-queries.ts';

/** The id of the panel that lists what is not watched. */
export const GAPS_ID = 'not-watched';

/** The page where a gap can be closed, if it is not a sensor, rule or webhook page. */
const pages: Partial<Record<Gap['kind'], string>> = {
  no_sensors: '/sensors',
  sensor_offline: '/sensors?state=inactive',
  no_rule: '/rules/new',
  hours_without_rule: '/rules',
  no_rule_for_silence: '/rules/new?situation=sensor_inactive',
};

/**
 * Returns a function that finds the page where a gap can be closed. Users who may edit the roster do so there; others
 * go on duty themselves.
 */
const usePageOf = () => {
  const can = useCan();
  const { display: isDisplay } = useMe();
  return (kind: Gap['kind']): string | undefined => {
    if (kind !== 'nobody_on_duty') return pages[kind];
    if (isDisplay) return undefined;
    return can('manage_rules') ? '/roster' : '/account/channels';
  };
};

/** What a gap is about: a sensor, a rule, a webhook or a user. */
type Subject = { key: string; name: string; href?: string; needs?: Needs };

/** Returns what a gap is about. Deleted subjects have no name and are left out. */
const subjectsOf = (gap: Gap, { sensors, rules, webhooks, users }: Watch['names']): Subject[] => {
  const named = (names: Record<string, string>, ids: readonly (string | number)[], page: string, needs?: Needs) =>
    ids.flatMap((id): Subject[] => {
      const name = names[id];
      if (name === undefined) return [];
      return [{ key: `${page} ${id}`, name, ...(page && { href: `${page}/${id}` }), ...(needs && { needs }) }];
    });
  const sensorIds = 'sensorIds' in gap ? gap.sensorIds : [];
  const alarmed = 'sensorId' in gap ? [gap.sensorId] : [];
  const webhookIds = 'webhookId' in gap && gap.webhookId !== null ? [gap.webhookId] : [];
  const userIds = 'userId' in gap && gap.userId !== null ? [gap.userId] : [];
  return [
    ...named(sensors, [...sensorIds, ...alarmed], '/sensors'),
    ...named(webhooks, webhookIds, '/webhooks', managers),
    ...named(users, userIds, ''),
    ...named(rules, 'ruleIds' in gap ? gap.ruleIds : [], '/rules'),
  ];
};

const SubjectName = ({ subject: { name, href, needs } }: { subject: Subject }) => {
  const isAllowed = useCan()(needs);
  return href && isAllowed ? <NameLink href={href}>{name}</NameLink> : <Name>{name}</Name>;
};

type ItemProps = { what: string; href: string | undefined; todo: string; children?: ReactNode };
/** What is wrong, what it concerns and what to do, with a link to the page where it can be changed. */
const Item = ({ what, href, todo, children }: ItemProps) => (
  <List.Item>
    {href ? (
      <Anchor component={Link} href={href}>
        {what}
      </Anchor>
    ) : (
      <Text fw={600}>{what}</Text>
    )}
    {children}
    <Text size="sm">{todo}</Text>
  </List.Item>
);

/** The maximum number of sensors, rules and users named for one gap. */
const MAX_NAMES = 10;

const GapItem = ({ gap, watch }: { gap: Gap; watch: Watch }) => {
  const { overview: texts, gaps, rules: ruleTexts } = useTexts();
  const days = daysIn(useLocale(), 'short');
  const [what, todo] = gaps[gap.kind];
  const subjects = subjectsOf(gap, watch.names);
  const named = subjects.slice(0, MAX_NAMES);
  const total = 'total' in gap ? gap.total : subjects.length;
  const href = usePageOf()(gap.kind);
  const isOffline = gap.kind === 'sensor_offline';
  return (
    <Item what={isOffline ? texts.offlineRooms(total, Math.max(total, watch.sensors)) : what} todo={todo} href={href}>
      {gap.kind === 'hours_without_rule' && (
        <Text>{texts.hours(formatDays(gap.days, days, ruleTexts.everyDay), gap.from, gap.to)}</Text>
      )}
      {named.length > 0 && (
        <ul className="names">
          {named.map((subject) => (
            <li key={subject.key}>
              <SubjectName subject={subject} />
            </li>
          ))}
          {total > named.length && <li>{texts.andMore(total - named.length)}</li>}
        </ul>
      )}
    </Item>
  );
};

/**
 * Lists fall rules that reach no one although other rules do, and later escalation steps for which no one is on duty.
 */
const PartialGaps = ({ watch: { gaps, unheardRules, isNobodyOnDuty } }: { watch: Watch }) => {
  const { overview: texts, gaps: gapTexts } = useTexts();
  const known = gaps.flatMap((gap) => ('ruleIds' in gap ? gap.ruleIds : []));
  const pageOf = usePageOf();
  const [nobodyOnDuty, todo] = gapTexts.nobody_on_duty;
  return (
    <>
      {isNobodyOnDuty && !gaps.some(({ kind }) => kind === 'nobody_on_duty') && (
        <Item what={nobodyOnDuty} todo={todo} href={pageOf('nobody_on_duty')} />
      )}
      {unheardRules
        .filter(({ id }) => !known.includes(id))
        .map(({ id, name }) => (
          <List.Item key={id}>
            <NameLink href={`/rules/${id}`}>{name}</NameLink>
            <Text>{texts.ruleReachesNobody}</Text>
          </List.Item>
        ))}
    </>
  );
};

/** Lists what is not watched, where a fall would go unnoticed, and what to do. Empty while there are no sensors. */
export const Unwatched = ({ watch }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  if (watch.sensors === 0 || !hasGap(watch)) return null;
  const { gaps, totalGaps = gaps.length } = watch;
  return (
    <Panel title={texts.unwatched} id={GAPS_ID} isGap>
      <List spacing="sm">
        {gaps.map((gap) => (
          <GapItem key={JSON.stringify(gap)} gap={gap} watch={watch} />
        ))}
        {totalGaps > gaps.length && <List.Item>{texts.andMore(totalGaps - gaps.length)}</List.Item>}
        <PartialGaps watch={watch} />
      </List>
      <Text size="sm" mt="sm">
        {texts.checkedAt(dates.second(watch.date))}
      </Text>
    </Panel>
  );
};
