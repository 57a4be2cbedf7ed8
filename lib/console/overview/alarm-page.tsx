import { Anchor, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { RoomBefore } from '../alarms/room-before.tsx';
import { Where } from '../sensors/room/where.tsx';
import { NoCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Panel } from '../ui/panel.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { useAlarms } from './alarms-provider.tsx';
import { RoomCall } from './room-call.tsx';
import { Timeline } from './timeline.tsx';

/** The page for the last 24 hours of alarms in a room, with their timeline. */
export const AlarmPage = () => {
  const { overview: texts, sensor } = useTexts();
  const { sensorId = '' } = useParams();
  const all = useAlarms();
  if (!all)
    return (
      <>
        <Head title={texts.alarms} />
        <NoCustomer />
      </>
    );
  if (!all.isKnown) return all.error ? <Failed error={all.error} onRetry={all.refetch} /> : <Loading />;
  const rows = all.rows.filter((row) => row.sensorId === sensorId);
  const alarms = all.alarms.filter((alarm) => alarm.sensorId === sensorId);
  const name = rows[0]?.name ?? alarms[0]?.name ?? sensorId;
  return (
    <>
      <Head title={name} back={{ href: '/', label: texts.title }}>
        <Anchor component={Link} href={`/sensors/${sensorId}?part=events`}>
          {sensor.tabs.events}
        </Anchor>
      </Head>
      {rows.length > 0 && (
        <ol className="board">
          {rows.map((row) => (
            <RoomCall key={row.key} row={row} isKnown={all.hasHits} />
          ))}
        </ol>
      )}
      <div className="cols alarm-cols">
        <div className="alarm-course">
          <Panel title={texts.happened}>
            {alarms.length === 0 ? <Text c="dimmed">{texts.nothingHappened}</Text> : <Timeline alarms={alarms} />}
          </Panel>
          <RoomBefore customerId={all.customerId} sensorId={sensorId} />
        </div>
        <Panel title={texts.where} link={{ href: `/sensors/${sensorId}`, text: texts.openRoom }}>
          <Where sensorId={sensorId} />
        </Panel>
      </div>
    </>
  );
};
