import type { Texts } from './en.ts';

const plural = (count: number, singular: string, many: string): string => `${count} ${count === 1 ? singular : many}`;

/** The German texts of the overview. */
export const overview: Texts['overview'] = {
  title: 'Station',
  alarms: 'Offene Alarme',
  noAlarm: 'Keine offenen Alarme.',
  nobodyDown: 'Niemand am Boden erkannt.',
  asOf: (time) => `Stand: ${time}`,
  outdated: (time, ago) =>
    `Diese Seite ist veraltet. Sie zeigt den Stand von ${time} (${ago}); was seitdem passiert ist, fehlt.`,
  outdatedTitle: 'Veraltet',
  noNetwork: 'Dieser Browser hat keine Netzwerkverbindung.',
  updatesByItself: 'Die Seite aktualisiert sich von selbst, sobald der Dienst wieder erreichbar ist.',
  truncated: 'Hier werden nur die letzten 1.000 Regeltreffer geprüft. Ein älterer Alarm kann noch offen sein.',
  moreFalls: (count) =>
    count === 1
      ? 'Ein weiterer Sensor erkennt jemanden am Boden.'
      : `${count} weitere Sensoren erkennen jemanden am Boden.`,
  since: (time) => `seit ${time}`,
  sensitive: 'Empfindliche Erkennung',
  simulated: 'Simuliert',
  notified: 'Benachrichtigt',
  notifiedAt: (time, attempts) =>
    attempts > 1 ? `benachrichtigt um ${time} (${attempts}. Versuch)` : `benachrichtigt um ${time}`,
  notNotifiedYet: 'noch nicht benachrichtigt',
  notNotified: (attempts, time) =>
    `nicht benachrichtigt: ${plural(attempts, 'Versuch', 'Versuche')}, zuletzt um ${time}`,
  nobodyNotified: 'Keine Regel hat jemanden benachrichtigt.',
  someone: 'Jemand',
  onItSince: (time) => `geht hin (seit ${time})`,
  acknowledgedAt: (time) => `hat um ${time} übernommen`,
  cannotGo: 'Ich kann nicht',
  reopened: 'Der Alarm ist wieder offen.',
  outcome: 'Ergebnis',
  noOutcome: 'Kein Ergebnis eingetragen',
  acknowledged: 'Jemand geht hin',
  closed: 'Abgeschlossen in den letzten 12 Stunden',
  noneClosed: 'In den letzten 12 Stunden wurde kein Alarm abgeschlossen.',
  sound: 'Ton bei neuen Alarmen',
  soundBlocked: 'Der Browser blockiert den Ton. Klicken Sie irgendwo auf diese Seite oder drücken Sie eine Taste.',
  unwatched: 'Nicht alles wird überwacht',
  offlineRooms: (offline, all) =>
    `${offline} von ${plural(all, 'Raum', 'Räumen')} ${offline === 1 ? 'wird nicht überwacht: Der Sensor ist' : 'werden nicht überwacht: Die Sensoren sind'} offline.`,
  andMore: (count) => `und ${count} weitere`,
  hours: (days, from, to) => (from === to ? `${days}, ganztägig` : `${days}, ${from} bis ${to}`),
  checkedAt: (time) => `Geprüft um ${time}; das geschieht einmal in der Minute.`,
  ruleReachesNobody:
    'Diese Sturzregel erreicht niemanden. Prüfen Sie ihre Webhooks und die Kanäle der Personen, die sie benachrichtigt.',
  watchUnknown: 'Es ließ sich nicht prüfen, ob alles überwacht wird.',
  webhookProblems: 'Probleme mit Webhooks',
  disabledByService: 'wurde vom Dienst deaktiviert',
  failedPermanently: (count, time) =>
    count === 1
      ? `1 Zustellung ist endgültig fehlgeschlagen (${time})`
      : `${count} Zustellungen sind endgültig fehlgeschlagen (zuletzt ${time})`,
  markSeen: 'Als gesehen markieren',
  sensors: 'Sensoren',
  failing: 'Webhooks mit Fehlern',
  noFailing: 'Alle Webhooks funktionieren.',
  failures: (count) => plural(count, 'Fehler', 'Fehler'),
  disabled: 'Deaktiviert',
};
