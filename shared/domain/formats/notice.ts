import type { Snapshot } from '../delivery/delivery.ts';
import { type Language, languageOf } from '../identity/language.ts';
import { dateTimeAndZone } from '../time/wall-time.ts';
import type { PayloadContext } from './rendering.ts';

/** The severity seen at a glance: an alarm, a warning, the end of either, or none. */
export type Severity = 'alarm' | 'warning' | 'over' | 'plain';

/** The contents of a message to people: plain text, which each format makes safe in its own way. */
type Notice = {
  title: string;
  message: string;
  facts: { label: string; value: string }[];
  severity: Severity;
  /** The link that acknowledges the alarm; null if there is nothing to acknowledge. */
  acknowledge: { label: string; url: string } | null;
};

// Each attempt renders the delivery anew and must send the same bytes, so these strings never change.
const texts = {
  en: {
    situation: 'Situation',
    sensor: 'Sensor',
    place: 'Place',
    time: 'Time',
    acknowledge: "I'm on it",
    test: 'This is a test. Nothing has happened.',
  },
  de: {
    situation: 'Situation',
    sensor: 'Sensor',
    place: 'Ort',
    time: 'Zeit',
    acknowledge: 'Ich gehe hin',
    test: 'Das ist ein Test. Es ist nichts geschehen.',
  },
} as const satisfies Record<Language, Record<string, string>>;

const alarms = ['fall', 'vital'];
const warnings = ['posture', 'sensor'];
const ends = ['canceled', 'finished', 'active'];

const severityOf = ({ type, action }: { type: string; action: string }): Severity => {
  if (ends.includes(action)) return 'over';
  if (warnings.includes(type) || action.startsWith('fall_suspected')) return 'warning';
  return alarms.includes(type) ? 'alarm' : 'plain';
};

/**
 * Returns the delivery contents: title and message from the rule, labels in the bot's language. The message says so if
 * it is only a test.
 */
export const noticeOf = (
  { event, sensor, customer, rule, reader }: Snapshot,
  { isTest = false, acknowledgeUrl: url }: Pick<PayloadContext, 'isTest' | 'acknowledgeUrl'>,
): Notice => {
  const words = texts[languageOf(reader?.language ?? 'en')];
  const facts = [
    { label: words.situation, value: rule ? event.text : '' },
    { label: words.sensor, value: rule ? sensor.name : '' },
    { label: words.place, value: [customer?.name, customer?.location].filter(Boolean).join(', ') },
    { label: words.time, value: reader?.time ?? dateTimeAndZone(event.createDate, 'UTC') },
  ];
  return {
    title: rule?.title ?? event.text,
    message: [isTest ? words.test : '', rule?.message ?? ''].filter(Boolean).join(' '),
    facts: facts.filter(({ value }) => value !== ''),
    severity: severityOf(event),
    acknowledge: url === null ? null : { label: words.acknowledge, url },
  };
};
