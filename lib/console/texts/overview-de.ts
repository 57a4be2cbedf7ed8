import type { Texts } from './en.ts';

const number = (value: number): string => value.toLocaleString('de');
const plural = (count: number, singular: string, many: string): string =>
  `${number(count)} ${count === 1 ? singular : many}`;

/** German texts for the station, and for the alarms on every page. */
export const overview: Texts['overview'] = {
  title: 'Station',
  alarms: 'Alarme',
  headline: 'Aktuelle Lage',
  noAlarm: 'Keine offenen Alarme',
  noAlarmIn: (rooms) => `Keine offenen Alarme in ${plural(rooms, 'Raum', 'Räumen')}`,
  noAlarmKnown: 'Keine offenen Alarme bekannt',
  unknown: 'Alarmstatus unbekannt',
  noRooms: 'Noch keine Räume',
  nothingWatched: 'Kein Raum wird überwacht',
  allWatched: (rooms) =>
    rooms === 1 ? 'Der einzige Raum wird überwacht.' : `Alle ${number(rooms)} Räume werden überwacht.`,
  someWatched: (watched, all) =>
    `${number(watched)} von ${plural(all, 'Raum', 'Räumen')} ${watched === 1 ? 'wird' : 'werden'} überwacht.`,
  lookInto: 'Nicht überwacht, sehen Sie selbst nach:',
  othersMore: (count) => `${count} weitere`,
  generalGap:
    'Bei einem Sturz werden vielleicht nicht alle alarmiert, die alarmiert werden sollen: siehe „Nicht überwacht“.',
  asOf: (time) => `Stand: ${time}`,
  connection: 'Verbindung',
  connected: 'Verbunden',
  reconnecting: 'Wird neu verbunden',
  watchedOf: (watched, all) => `${number(watched)} von ${number(all)} überwacht`,
  watchedUnknown: 'Überwacht: unbekannt',
  needSomebody: (count, rooms) =>
    `${count === 1 ? '1 Raum braucht' : `${count} Räume brauchen`} jemanden${rooms === '' ? '' : `: ${rooms}`}`,
  suspectedIn: (rooms) => `Sturzverdacht: ${rooms}.`,
  offlineIn: (rooms) => `Sensor offline: ${rooms}`,
  somebodyIsOnIt: (rooms) => `Jemand geht hin: ${rooms}`,
  longest: 'Am längsten:',
  yours: (rooms) => `Von Ihnen übernommen: ${rooms}.`,
  otherRooms: ({ open, mine, more }) =>
    `+ ${[open && `${open} offen`, mine && `${mine} übernommen`, more > 0 && `${more} weitere`].filter(Boolean).join(', ')}`,
  moreAlarms: (count) => `${count} weitere`,
  happened: 'Was geschehen ist',
  nothingHappened: 'In den letzten 24 Stunden hat in diesem Raum keine Regel ausgelöst.',
  before: 'Frühere Alarme in diesem Raum',
  nothingBefore: 'In den letzten 120 Tagen ist in diesem Raum kein Alarm zu Ende gegangen.',
  openRoom: 'Raum öffnen',
  began: 'Zeitpunkt des Sturzes',
  fall: 'Sturz',
  nobodyIsOnIt: (what) => `${what}. Niemand geht hin.`,
  nobodyOn: (what) => `${what}, niemand geht hin`,
  youAreOnIt: 'Sie gehen hin',
  isOnIt: (name) => `${name} geht hin`,
  suspectedFall: 'Sturzverdacht',
  yourName: 'Wer geht hin?',
  look: 'Ich sehe nach',
  roomOffline: 'Bei einem Sturz in diesem Raum wird niemand alarmiert. Sehen Sie dort nach.',
  escalating: (step) => `Eskaliert, Stufe ${step}`,
  falls: (count) => plural(count, 'Sturz', 'Stürze'),
  lastFall: (time) => `letzter Sturz um ${time}`,
  closeAlarm: 'Abschließen',
  closings: { got_up: 'Selbst aufgestanden', helped: 'Aufgeholfen', false_alarm: 'Fehlalarm' },
  closedNow: 'Abgeschlossen. Zu finden unter „Diese Schicht“.',
  addNote: 'Notiz',
  note: 'Notiz für die Übergabe',
  truncated: 'Hier werden nur die letzten 1.000 Regeltreffer geprüft. Ein älterer Alarm kann noch offen sein.',
  moreFalls: (count) =>
    count === 1
      ? 'Ein weiterer Sensor erkennt jemanden am Boden.'
      : `${count} weitere Sensoren erkennen jemanden am Boden.`,
  since: (time) => `seit ${time}`,
  takenAt: (time) => `übernommen um ${time}`,
  sensitive: 'Empfindliche Erkennung',
  simulated: 'Simuliert',
  notified: 'Benachrichtigt',
  notifiedAt: (time) => `benachrichtigt um ${time}`,
  sentTimes: (times, first) => `${times}-mal gesendet, zuerst um ${first}`,
  notNotifiedYet: 'noch nicht benachrichtigt',
  notNotified: (attempts, time) =>
    `nicht benachrichtigt: ${plural(attempts, 'Versuch', 'Versuche')}, zuletzt um ${time}`,
  nobodyNotified: 'Keine Regel hat jemanden benachrichtigt.',
  onDuty: (count) => `${count} im Dienst`,
  onDutyNow: 'Im Dienst',
  until: (time) => `bis ${time}`,
  ways: { email: 'E-Mail', sms: 'SMS', push: 'Push', telegram: 'Telegram' },
  unreachable: 'nicht erreichbar',
  onDutyUntil: (name, time) => `${name} bis ${time}`,
  alarmBy: (time) => `Spätestens um ${time} wird daraus ein Alarm, wenn der Sensor den Verdacht nicht zurücknimmt.`,
  notConfirmed: 'Sobald der Sensor den Sturz bestätigt, wird alarmiert.',
  alertFollows: 'Die Alarmierung folgt gleich.',
  nobodyOnDuty: 'Niemand ist im Dienst.',
  unanswered: (time) => `Niemand hat reagiert (Stand ${time}).`,
  someone: 'Jemand',
  onItAfter: (time) => `übernommen nach ${time}`,
  cannotGo: 'Ich kann nicht hingehen',
  reopened: 'Der Alarm ist wieder offen.',
  noOutcome: 'Kein Ergebnis eingetragen',
  where: 'Wo',
  closed: 'Diese Schicht',
  noneClosed: 'In den letzten 12 Stunden wurde kein Alarm abgeschlossen.',
  unwatched: 'Nicht überwacht',
  offlineRooms: (offline, all) =>
    `${number(offline)} von ${plural(all, 'Raum', 'Räumen')} ${offline === 1 ? 'wird nicht überwacht: Der Sensor ist' : 'werden nicht überwacht: Die Sensoren sind'} offline.`,
  andMore: (count) => `und ${count} weitere`,
  hours: (days, from, to) => (from === to ? `${days}, ganztägig` : `${days}, ${from} bis ${to}`),
  checkedAt: (time) => `Stand: ${time}.`,
  ruleReachesNobody:
    'Diese Sturzregel erreicht niemanden. Prüfen Sie ihre Webhooks und die Kanäle der Personen, die sie benachrichtigt.',
  watchUnknown: 'Es ließ sich nicht prüfen, welche Räume überwacht werden.',
  webhookProblems: 'Probleme mit Webhooks',
  disabledByService: 'wurde automatisch deaktiviert',
  failedPermanently: (count, time) =>
    count === 1
      ? `1 Zustellung ist endgültig fehlgeschlagen (${time})`
      : `${count} Zustellungen sind endgültig fehlgeschlagen (zuletzt ${time})`,
  markSeen: 'Als gesehen markieren',
  sensors: 'Sensoren',
};

export const sound: Texts['sound'] = {
  on: 'Ton an',
  off: 'Ton aus',
  blocked: 'Ton blockiert: hier tippen',
  label: 'Ton bei Alarmen',
  offHint: 'Dieser Bildschirm zeigt Alarme nur an, ohne Ton.',
  volume: 'Lautstärke',
};

export const notWatched: Texts['notWatched'] = {
  title: 'NICHT ÜBERWACHT',
  noConnection: (time) => `Keine Verbindung seit ${time}, Dauer:`,
  stateOf: (time) =>
    `Dieser Bildschirm sieht nicht, was in den Räumen geschieht, und versucht weiter, die Verbindung herzustellen. Letzter Stand: ${time}.`,
  nothingKnown:
    'Dieser Bildschirm sieht nicht, was in den Räumen geschieht, und versucht weiter, die Verbindung herzustellen.',
  lookInto: (rooms) => `Sehen Sie nach: ${rooms}.`,
  keepPhone: 'Tragen Sie ein Telefon bei sich.',
  keepPhoneWhy: 'Dort kommen Alarme vielleicht noch an.',
  rounds: 'Verlassen Sie sich auf Ihre Rundgänge,',
  roundsWhy: 'bis diese Seite wieder funktioniert.',
  loggedOut: (time) => `Abgemeldet um ${time}, Dauer:`,
  sessionOver:
    'Die Sitzung ist beendet. Alarme gehen weiter an Telefone und die Rufanlage, aber dieser Bildschirm zeigt keine an und gibt keinen Ton.',
  quiet: '5 Minuten stummschalten',
};
