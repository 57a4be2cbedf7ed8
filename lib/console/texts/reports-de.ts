import type { reports as en } from './reports-en.ts';

export const reports: typeof en = {
  explain:
    'Gemacht aus dem, was Regeln gemeldet haben, und aus dem, was Menschen dazu gesagt haben. Beides bleibt 120 Tage. Was keine Regel überwacht, wird nicht gezählt.',
  month: 'Monat',
  download: 'Tabelle als Datei (CSV)',
  soFar: 'Dieser Monat ist noch nicht vorbei.',
  partly: (from) => `Von vor dem ${from} ist nichts mehr da.`,
  none: 'Von diesem Monat ist nichts mehr da.',
  perDay: 'Stürze nach Tag',
  months: 'Monate im Vergleich',
  fallsOf: 'Stürze und Fehlalarme',
  answersOf: 'Minuten, bis sich jemand kümmerte',
  silenceOf: 'Stunden ohne Meldung',
  falls: 'Stürze',
  suspected: 'Sturzverdacht',
  falseAlarms: 'Fehlalarme',
  missed: 'Verpasste Stürze',
  unanswered: 'Unbeantwortet',
  median: 'Beantwortet: die Hälfte in',
  p90: '9 von 10 in',
  half: 'die Hälfte der Stürze',
  nine: '9 von 10',
  silences: 'Male stumm',
  silent: 'Stumm für',
  silence:
    'Stumm heißt, was Regeln auf „Sensor stumm“ gemeldet haben. Eine Dauer hat es, wo eine Regel auf „Sensor online“ das Ende gemeldet hat, oder solange es anhält.',
  withoutEnd: (count) =>
    count === 1
      ? 'Von einem Mal hat keine Regel das Ende gemeldet.'
      : `Von ${count} Malen hat keine Regel das Ende gemeldet.`,
  rooms: 'Nach Raum',
  gone: 'Sensor, den es nicht mehr gibt',
  more: (count) => `${count} weitere Räume stehen in der Datei.`,
  of: (name, values) => `${name}: ${values}`,
};
