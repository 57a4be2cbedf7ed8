import type { reports as en } from './reports-en.ts';

export const reports: typeof en = {
  explain:
    'Grundlage sind die Regeltreffer und die eingetragenen Ergebnisse. Beides wird 120 Tage aufbewahrt. Ereignisse, für die es keine Regel gibt, werden nicht gezählt.',
  month: 'Monat',
  download: 'Tabelle herunterladen (CSV)',
  notOver: 'Dieser Monat ist noch nicht vorbei.',
  dataFrom: (from) => `Daten vor dem ${from} sind nicht mehr gespeichert.`,
  none: 'Für diesen Monat sind keine Daten gespeichert.',
  perDay: 'Stürze pro Tag',
  months: 'Monate im Vergleich',
  fallsOf: 'Stürze und Fehlalarme',
  responseTimes: 'Reaktionszeit in Minuten',
  hoursOffline: 'Stunden offline',
  falls: 'Stürze',
  suspected: 'Sturzverdacht',
  falseAlarms: 'Fehlalarme',
  missed: 'Übersehene Stürze',
  unanswered: 'Unbeantwortet',
  median: 'Reaktionszeit (Median)',
  p90: '9 von 10 beantwortet in',
  medianShort: 'Median',
  p90Short: '9 von 10 in',
  timesOffline: 'Offline-Phasen',
  timeOffline: 'Zeit offline',
  offlineExplain:
    'Ein Sensor gilt als offline, sobald eine Regel für „Sensor offline“ ausgelöst hat. Die Dauer ist bekannt, sobald eine Regel für „Sensor online“ ausgelöst hat, und solange der Sensor noch offline ist.',
  withoutEnd: (count) =>
    count === 1 ? 'Das Ende von 1 Offline-Phase ist unbekannt.' : `Das Ende von ${count} Offline-Phasen ist unbekannt.`,
  rooms: 'Nach Raum',
  formerSensor: 'Früherer Sensor',
  more: (count) =>
    count === 1 ? '1 weiterer Raum steht in der Datei.' : `${count} weitere Räume stehen in der Datei.`,
  labelled: (name, values) => `${name}: ${values}`,
};
