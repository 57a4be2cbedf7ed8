import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { RuleUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { useGroups } from '../groups/query.ts';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { useSensor } from '../ui/sensor-select.tsx';
import { useRecipientName } from './recipients.tsx';
import { daysIn, formatDays } from './week.ts';

/** Returns the query for the room a sensor is in. It is disabled while the id is null. */
export const useRoom = (sensorId: string | null) =>
  useQuery({
    queryKey: ['room', sensorId],
    queryFn: () => ok(api.GET('/sensors/{sensorId}/room', { params: { path: { sensorId: sensorId ?? '' } } })),
    enabled: sensorId !== null,
  });

const useScopeText = ({ sensorId, sensorGroupId, regionId }: RuleUpdate, customerId: number): string => {
  const { rules: texts } = useTexts();
  const sensor = useSensor(sensorId).data?.name ?? sensorId ?? '';
  const group = useGroups(customerId).data?.find(({ id }) => id === sensorGroupId);
  const region = useRoom(regionId === null ? null : sensorId).data?.regions.find(({ id }) => id === regionId);
  if (sensorGroupId !== null) return texts.atGroup(group?.name ?? String(sensorGroupId));
  if (sensorId === null) return texts.anySensor;
  return regionId === null ? texts.atSensor(sensor) : texts.atRegion(sensor, region?.name ?? '…');
};

/** Returns when a rule applies; '' if it always applies. */
export const useScheduleText = ({ schedule }: Pick<RuleUpdate, 'schedule'>): string => {
  const { rules: texts } = useTexts();
  const names = daysIn(useLocale(), 'short');
  if (!schedule) return '';
  const days = formatDays(schedule.days, names, texts.everyDay);
  const { from, to, timeZone } = schedule;
  return from === to ? texts.allDay(days, timeZone) : texts.scheduled(days, from, to, timeZone);
};

const units = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const formatDuration = (seconds: number, locale: string): string => {
  const [unit, length] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
};

/** Returns a function that lists recipient names. */
export const useRecipientNames = (customerId: number) => {
  const { rules: texts } = useTexts();
  const locale = useLocale();
  const nameOf = useRecipientName(customerId);
  return (recipients: RuleUpdate['recipients']): string => {
    if (recipients.length === 0) return texts.nobody;
    const names = recipients.flatMap((recipient) => nameOf(recipient) ?? []);
    if (names.length < recipients.length) return texts.recipientCount(recipients.length);
    return new Intl.ListFormat(locale).format(names);
  };
};

const EscalationSummary = ({ rule, namesOf }: { rule: RuleUpdate; namesOf: ReturnType<typeof useRecipientNames> }) => {
  const { rules: texts } = useTexts();
  const locale = useLocale();
  const { escalation = [], repeatSeconds, untilAcknowledged } = rule;
  if (escalation.length === 0 && repeatSeconds === null) return null;
  return (
    <>
      {escalation.map(({ afterSeconds, recipients }) => (
        <Text key={afterSeconds}>{texts.stepSummary(formatDuration(afterSeconds, locale), namesOf(recipients))}</Text>
      ))}
      {repeatSeconds !== null && <Text>{texts.repeatSummary(formatDuration(repeatSeconds, locale))}</Text>}
      {!untilAcknowledged && <Text>{texts.stopsWhenOver}</Text>}
    </>
  );
};

/** Describes a rule in a sentence. */
export const RuleSummary = ({ rule, customerId }: { rule: RuleUpdate; customerId: number }) => {
  const { rules: texts, situations } = useTexts();
  const locale = useLocale();
  const namesOf = useRecipientNames(customerId);
  const summary = texts.summary({
    situation: situations[rule.situation],
    where: useScopeText(rule, customerId),
    when: useScheduleText(rule),
    recipients: namesOf(rule.recipients),
    pause: rule.rateLimitSeconds > 0 ? formatDuration(rule.rateLimitSeconds, locale) : '',
  });
  return (
    <Paper component="section" aria-label={texts.summaryTitle} withBorder p="md" aria-live="polite">
      <Text size="lg" className="name">
        {summary}
      </Text>
      <EscalationSummary rule={rule} namesOf={namesOf} />
      {rule.includeSimulated && <Text>{texts.simulated}</Text>}
      {!rule.isEnabled && <Text fw={600}>{texts.isDisabled}</Text>}
    </Paper>
  );
};
