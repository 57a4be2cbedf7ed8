import { EyeSlashIcon } from '@heroicons/react/24/outline';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '#lib/console/api/client.ts';
import { useGroups } from '#lib/console/groups/query.ts';
import { useAlarms } from '#lib/console/overview/alarms-provider.tsx';
import { hasGeneralGap } from '#lib/console/overview/coverage.ts';
import { MAX_PER_PAGE } from '#lib/console/overview/watch-queries.ts';
import { useRecipientNames, useScheduleText } from '#lib/console/rules/rule-summary.tsx';
import { useMe } from '#lib/console/session/session.tsx';
import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { NameLink } from '#lib/console/ui/name.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import { Panel } from '#lib/console/ui/panel.tsx';
import type { Room, Rule, Sensor } from '#openapi';
import { statusQuery } from '../queries.ts';
import { useRoomTexts } from './texts.ts';
import { gapsOf, rulesOf, watchedSituations } from './watching.ts';

/** A rule: when it applies, and whom it notifies. */
const RuleLine = ({ rule, customerId }: { rule: Rule; customerId: number }) => {
  const { watched: texts } = useRoomTexts();
  const namesOf = useRecipientNames(customerId);
  const when = useScheduleText(rule);
  return (
    <span className="block">
      <NameLink href={`/rules/${rule.id}`}>{rule.name}</NameLink>
      {`: ${namesOf(rule.recipients)}${when && `, ${when}`}${rule.regionId === null ? '' : `, ${texts.regionOnly}`}`}
    </span>
  );
};

/** Who is notified about each situation in this room. */
const Notified = ({ sensorId, customerId }: { sensorId: string; customerId: number }) => {
  const { watched: texts } = useRoomTexts();
  const { data: groups } = useGroups(customerId);
  const { data } = useQuery({
    queryKey: ['rules', 'of rooms', customerId],
    queryFn: () => ok(api.GET('/rules', { params: { query: { customerId, perPage: MAX_PER_PAGE } } })),
  });
  if (!data || !groups) return null;
  const groupId = groups.find(({ sensorIds }) => sensorIds.includes(sensorId))?.id ?? null;
  return watchedSituations.map((situation) => {
    const rules = rulesOf(data[0]?.data ?? [], situation, { sensorId, groupId });
    return (
      <div key={situation}>
        <dt>{texts.notifies[situation]}</dt>
        <dd>
          {rules.length === 0 && texts.nobody}
          {rules.map((rule) => (
            <RuleLine key={rule.id} rule={rule} customerId={customerId} />
          ))}
        </dd>
      </div>
    );
  });
};

/** The reasons why a fall in this room may reach no one. */
const Gaps = ({ sensorId }: { sensorId: string }) => {
  const { watched: texts } = useRoomTexts();
  const { gaps } = useTexts();
  const watch = useAlarms()?.watch;
  if (!watch) return null;
  const kinds = gapsOf(watch, sensorId);
  const notes = kinds.map((kind) => gaps[kind]);
  if (kinds.length === 0 && hasGeneralGap(watch)) notes.push([texts.generalGap, '']);
  return notes.map(([what, todo]) => (
    <p key={what} className="gap-note with-icon">
      <EyeSlashIcon className="icon" />
      <span>
        <b>{what}</b> {todo}
      </span>
    </p>
  ));
};

/** Whether a room is watched, by which device, and who is notified about events. */
export const Watched = ({ sensor, room }: { sensor: Sensor; room: Room }) => {
  const texts = useRoomTexts();
  const { sensors } = useTexts();
  const { display: isDisplay } = useMe();
  const dates = useDates();
  const now = useNow(5_000);
  const { data: status } = useQuery(statusQuery(sensor.id));
  const { watched } = texts;
  const { id, customerId, manufacturer, firmwareVersion, createDate, isActive } = sensor;
  const lastSeen = status?.lastSeen ?? null;
  const state = sensors.states[(status?.isActive ?? isActive) ? 'active' : 'inactive'];
  return (
    <Panel title={watched.title}>
      <Gaps sensorId={id} />
      <dl className="room-facts watched">
        <div>
          <dt>{texts.sensor}</dt>
          <dd>{lastSeen === null ? state : watched.lastReport(state, dates.ago(lastSeen, now))}</dd>
        </div>
        {customerId !== null && !isDisplay && <Notified sensorId={id} customerId={customerId} />}
        <div>
          <dt>{watched.device}</dt>
          <dd>
            {watched.deviceIs(sensors.makers[manufacturer], texts.mountings[room.sensorMounting], firmwareVersion)}
          </dd>
        </div>
        <div>
          <dt>{watched.since}</dt>
          <dd>{dates.dateTime(createDate)}</dd>
        </div>
      </dl>
    </Panel>
  );
};
