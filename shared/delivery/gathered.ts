import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import type { Language } from '#shared/domain/identity/language.ts';
import type { Notification } from './targets/person.ts';

/** The maximum number of sensors named in a message. */
const MAX_NAMED = 20;

type Texts = {
  offline: (count: number) => string;
  online: (count: number) => string;
  offlineLabel: string;
  onlineLabel: string;
  more: (count: number) => string;
};
// A retry renders the message again and must send the same text, so these texts never change.
const texts: Record<Language, Texts> = {
  en: {
    offline: (count) => (count === 1 ? '1 sensor offline' : `${count} sensors offline`),
    online: (count) => (count === 1 ? '1 sensor online again' : `${count} sensors online again`),
    offlineLabel: 'Offline',
    onlineLabel: 'Online again',
    more: (count) => `and ${count} more`,
  },
  de: {
    offline: (count) => (count === 1 ? '1 Sensor offline' : `${count} Sensoren offline`),
    online: (count) => (count === 1 ? '1 Sensor wieder online' : `${count} Sensoren wieder online`),
    offlineLabel: 'Offline',
    onlineLabel: 'Wieder online',
    more: (count) => `und ${count} weitere`,
  },
};

/** Returns the newest delivery for each sensor, sorted by sensor name. */
const newestOfEach = (deliveries: readonly Delivery[]): Delivery[] => {
  const byTime = deliveries.toSorted((a, b) => a.snapshot.event.createDate - b.snapshot.event.createDate);
  const newest = [...new Map(byTime.map((delivery) => [delivery.snapshot.sensor.id, delivery])).values()];
  const nameOf = ({ snapshot }: Delivery) => snapshot.sensor.name;
  return newest.sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }));
};

/** Returns a line that lists sensors: the first names, and how many more there are. */
const lineOf = (label: string, sensors: readonly Delivery[], maxNamed: number, { more }: Texts): string[] => {
  if (sensors.length === 0) return [];
  const names = sensors.slice(0, maxNamed).map(({ snapshot }) => asText(snapshot.sensor.name));
  const rest = sensors.length - names.length;
  const list = [names.join(', '), rest > 0 && more(rest)].filter(Boolean).join(' ');
  return [`${label}: ${names.length > 0 ? list : rest}`];
};

/** The number of sensors deliveries are about. */
export const sensorsIn = (deliveries: readonly Delivery[]): number =>
  new Set(deliveries.map(({ snapshot }) => snapshot.sensor.id)).size;

/**
 * Returns the message that replaces deliveries about several sensors, in the language of the first delivery. The
 * message states how many sensors are offline or online again, names up to 20 of them, and links to the sensor list. It
 * has no acknowledgement link.
 */
export const gatheredNotification = (deliveries: readonly [Delivery, ...Delivery[]]): Notification => {
  const [{ snapshot, person }] = deliveries;
  const language = snapshot.reader?.language ?? 'en';
  const words = texts[language];
  const sensors = newestOfEach(deliveries);
  const isOnline = ({ snapshot: { rule } }: Delivery) => rule?.situation === 'sensor_active';
  const online = sensors.filter(isOnline);
  const offline = sensors.filter((sensor) => !isOnline(sensor));
  // Anyone who holds the phone can read an SMS.
  const { name = '', location = '' } = (person?.by !== 'sms' && snapshot.customer) || {};
  const place = asText([name, location].filter(Boolean).join(', '));
  const counts = [
    ...(offline.length > 0 ? [words.offline(offline.length)] : []),
    ...(online.length > 0 ? [words.online(online.length)] : []),
  ];
  const lines = [
    ...lineOf(words.offlineLabel, offline, MAX_NAMED, words),
    ...lineOf(words.onlineLabel, online, Math.max(0, MAX_NAMED - offline.length), words),
  ];
  return {
    title: counts.join(', '),
    text: [lines.join('\n'), place].filter(Boolean).join('\n\n'),
    url: null,
    ...(snapshot.service.url && { listUrl: `${snapshot.service.url}${BASE_PATH}/console/sensors` }),
    language,
  };
};
