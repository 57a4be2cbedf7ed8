import { Text } from '@mantine/core';
import { useAlarms } from '#lib/console/overview/alarms-provider.tsx';
import { duration } from '#lib/console/reports/duration.ts';
import { useDates } from '#lib/console/texts/texts.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import { Panel } from '#lib/console/ui/panel.tsx';
import type { Event } from '#openapi';
import { MAX_EVENTS } from '../queries.ts';
import { useRoomTexts } from './texts.ts';
import { countOf, type Lane, lengthOf, type Today as Strip, todayOf } from './today.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The smallest width (minutes) at which a moment is visible. */
const MIN_WIDTH = 10;

type BandProps = { lane: Lane; strip: Strip };
const Band = ({ lane, strip: { period, knownFrom } }: BandProps) => {
  const texts = useRoomTexts();
  const { name, spans, moments } = lane;
  const bar = (from: number, to: number, kind: string) => {
    const width = Math.max(MIN_WIDTH, (to - from) / MINUTE);
    const x = Math.min((from - period.from) / MINUTE, DAY / MINUTE - width);
    return <rect key={`${kind} ${from}`} className={kind} x={x} width={width} y={0} height={1} />;
  };
  const kind = name === 'onFloor' ? 'fallen' : 'present';
  const label = texts.today.label(texts.today.lanes[name], countOf(lane), duration(lengthOf(lane)));
  return (
    <div className="band">
      <span>{texts.today.lanes[name]}</span>
      <svg viewBox="0 0 1440 1" preserveAspectRatio="none" role="img" aria-label={label}>
        {bar(knownFrom, period.to, 'known')}
        {spans.map(({ from, to }) => bar(from, to, kind))}
        {moments.map((moment) => bar(moment, moment, kind))}
      </svg>
    </div>
  );
};

const Axis = ({ from }: { from: number }) => {
  const { now } = useRoomTexts().today;
  const dates = useDates();
  return (
    <div className="band hours" aria-hidden>
      <span />
      <div>
        {[0, 6, 12, 18].map((hours) => (
          <span key={hours}>{dates.clock(from + hours * HOUR)}</span>
        ))}
        <span>{now}</span>
      </div>
    </div>
  );
};

/** What happened in a room in the last 24 hours: presence, time in bed, bed exits and falls. */
export const Today = ({ sensorId, events }: { sensorId: string; events: readonly Event[] }) => {
  const { today: texts } = useRoomTexts();
  const rows = useAlarms()?.rows ?? [];
  const now = useNow(MINUTE);
  const hasOpenFall = rows.some((row) => row.sensorId === sensorId && row.items.some(({ fall }) => fall));
  const period = { from: now - DAY, to: now };
  const strip = todayOf(events, { period, isWhole: events.length < MAX_EVENTS, hasOpenFall });
  return (
    <Panel title={texts.title}>
      {strip.lanes.length === 0 && <Text c="dimmed">{texts.nothing}</Text>}
      {strip.lanes.map((lane) => (
        <Band key={lane.name} lane={lane} strip={strip} />
      ))}
      {strip.lanes.length > 0 && <Axis from={period.from} />}
    </Panel>
  );
};
