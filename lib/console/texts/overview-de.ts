import type { Texts } from './en.ts';

const plural = (count: number, singular: string, many: string): string => `${count} ${count === 1 ? singular : many}`;

/** The German texts of the overview. */
export const overview: Texts['overview'] = {
  title: 'Übersicht',
  alarms: 'Offene Alarme',
  noAlarm: 'Kein offener Alarm.',
  nobody: 'Von niemandem ist bekannt, dass er am Boden liegt.',
  asOf: (time) => `Stand ${time}`,
  late: (time, ago) =>
    `Diese Seite ist veraltet: Sie zeigt, was um ${time} war (${ago}). Was seitdem geschah, steht hier nicht.`,
  lateTitle: 'Veraltet',
  offline: 'Dieser Browser hat kein Netz.',
  goesOn: 'Es geht von selbst weiter, sobald der Dienst zu erreichen ist.',
  notWhole: 'Hier werden nur die neuesten 1.000 Treffer von Regeln gelesen: Ein offener Alarm kann älter sein.',
  moreFalls: (count) => `Und ${count} weitere Sensoren, die jemanden am Boden sehen.`,
  since: (time) => `seit ${time}`,
  sensitive: 'Empfindliche Erkennung',
  simulated: 'Simuliert',
  told: 'Wer benachrichtigt wurde',
  toldAt: (time, tries) =>
    tries > 1 ? `benachrichtigt um ${time}, beim ${tries}. Versuch` : `benachrichtigt um ${time}`,
  telling: 'noch nicht benachrichtigt',
  notTold: (tries, time) => `nicht benachrichtigt: ${plural(tries, 'Versuch', 'Versuche')}, der letzte um ${time}`,
  toldNobody: 'Keine Regel hat jemanden benachrichtigt.',
  someone: 'Jemand',
  comes: 'kümmert sich darum',
  notGoing: 'Ich gehe nicht hin',
  takenBack: 'Der Alarm ist wieder offen.',
  itWas: 'Es war',
  noFeedback: 'niemand hat gesagt, was es war',
  taken: 'Jemand kümmert sich',
  shift: 'Beantwortet in den letzten 12 Stunden',
  noShift: 'In den letzten 12 Stunden wurde kein Alarm beantwortet.',
  sound: 'Ton bei einem neuen Alarm',
  soundBlocked:
    'Der Browser spielt noch keinen Ton: Klicken Sie irgendwo auf diese Seite, oder drücken Sie eine Taste.',
  unwatched: 'Nicht alles wird überwacht',
  silent: (silent, all) =>
    `${silent} von ${plural(all, 'Raum', 'Räumen')} ${silent === 1 ? 'wird' : 'werden'} nicht überwacht: Von ${silent === 1 ? 'seinem Sensor' : 'ihren Sensoren'} ist nichts zu hören.`,
  further: (count) => `und ${count} weitere`,
  noFallRule: 'Keine Regel meldet jemandem einen Sturz.',
  nobodyOnDuty: 'Niemand hat Dienst, obwohl eine Regel Stürze denen meldet, die Dienst haben.',
  ruleUnheard:
    'Diese Regel für Stürze erreicht niemanden: Prüfen Sie ihre Webhooks und die Kanäle der Personen, die sie nennt.',
  watchUnread: 'Ob alles überwacht wird, war nicht zu lesen.',
  troubles: 'Noch nicht gesehen',
  switchedOff: 'wurde vom Dienst abgeschaltet',
  failedForGood: (count, time) =>
    count === 1
      ? `1 Zustellung ist endgültig fehlgeschlagen, von ${time}`
      : `${count} Zustellungen sind endgültig fehlgeschlagen, die neueste von ${time}`,
  seen: 'Gesehen',
  sensors: 'Sensoren',
  hits: 'Treffer der letzten 24 Stunden',
  hitsIn: (count) => plural(count, 'Treffer', 'Treffer'),
  noHits: 'Keine Regel hat ausgelöst.',
  failing: 'Zustellungen, die fehlschlagen',
  noFailing: 'Alle Webhooks funktionieren.',
  failures: (count) => plural(count, 'Fehlschlag', 'Fehlschläge'),
  disabled: 'Abgeschaltet',
};
