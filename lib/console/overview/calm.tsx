import type { ReactNode } from 'react';
import { useDates, useLocale, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import type { Alarms } from './alarms-provider.tsx';
import { type Coverage, coverageOf, hasGeneralGap } from './coverage.ts';
import { shortName } from './room-name.ts';

/** The maximum number of rooms named in the sentence. */
const MAX_NAMED = 5;

/** The unwatched rooms, as links in a list. */
const Rooms = ({ rooms, more }: { rooms: Coverage['rooms']; more: number }) => {
  const { overview: texts } = useTexts();
  const locale = useLocale();
  const named = rooms.slice(0, MAX_NAMED);
  const rest = more + rooms.length - named.length;
  const words = [...named.map(({ sensorId }) => sensorId), ...(rest > 0 ? ['rest'] : [])];
  return new Intl.ListFormat(locale).formatToParts(words).map(({ type, value }, at): ReactNode => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity
    if (type === 'literal') return <span key={at}>{value}</span>;
    const room = named.find(({ sensorId }) => sensorId === value);
    if (!room) return <span key={value}>{texts.othersMore(rest)}</span>;
    return (
      <NameLink key={value} href={`/sensors/${room.sensorId}`}>
        {shortName(room.name)}
      </NameLink>
    );
  });
};

const Sentence = ({ watched, all, rooms }: Coverage) => {
  const { overview: texts } = useTexts();
  if (watched === all) return <p>{texts.allWatched(all)}</p>;
  return (
    <p>
      {texts.someWatched(watched, all)} {texts.lookInto} <Rooms rooms={rooms} more={all - watched - rooms.length} />.
    </p>
  );
};

/**
 * What the station shows while no alarm is open. It says "No open alarms" only for watched rooms, and only as long as
 * the service responds.
 */
export const Calm = ({ alarms }: { alarms: Alarms }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const { isKnown, error, watch, isWatchUnknown, connection } = alarms;
  if (!isKnown)
    return (
      <section className="calm" aria-label={texts.alarms}>
        <h1>{texts.title}</h1>
        {error ? <Failed error={error} onRetry={alarms.refetch} /> : <Loading rows={2} />}
      </section>
    );
  const coverage = watch && coverageOf(watch);
  const headline = (): string => {
    if (connection.state !== 'connected') return texts.unknown;
    if (!coverage) return isWatchUnknown ? texts.noAlarmKnown : texts.title;
    if (coverage.all === 0) return texts.noRooms;
    if (coverage.watched === 0) return texts.nothingWatched;
    return coverage.watched === coverage.all ? texts.noAlarm : texts.noAlarmIn(coverage.watched);
  };
  return (
    <section className="calm" aria-label={texts.alarms}>
      <h1>{headline()}</h1>
      {coverage && coverage.all > 0 && <Sentence {...coverage} />}
      {watch && hasGeneralGap(watch) && <p>{texts.generalGap}</p>}
      {isWatchUnknown && <p>{texts.watchUnknown}</p>}
      {!alarms.isWhole && <p>{texts.truncated}</p>}
      {connection.at > 0 && <p className="meta">{texts.asOf(dates.second(connection.at))}</p>}
    </section>
  );
};
