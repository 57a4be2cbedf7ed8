import type { english } from './english.ts';

export const german: typeof english = {
  link: 'Exportieren oder löschen',
  explain:
    'Exportieren Sie alles, was über einen Kunden, einen Benutzer oder einen Sensor und die Person in seinem Raum gespeichert ist, oder löschen Sie es endgültig.',
  ofCustomer: (name) => `Kunde: ${name}`,
  ofNone: 'Kein Kunde',
  action: 'Aktion',
  actions: { export: 'Exportieren', erasure: 'Löschen' },
  whoseData: 'Wessen Daten',
  subject: 'Betrifft',
  kinds: { user: 'Benutzer', sensor: 'Sensor', customer: 'Kunde' },
  onlySelf: 'Nur Sie selbst. Um andere zu wählen, brauchen Sie die Berechtigung „Benutzer verwalten“.',
  reason: 'Grund',
  reasonHint: 'Wird mit dem Export oder der Löschung gespeichert',
  passwordHint: 'Ihr eigenes Passwort. Lassen Sie es leer, wenn Sie sich über einen anderen Dienst anmelden.',
  notYourself:
    'Ihre eigenen Daten können Sie nicht löschen, weil das Protokoll festhalten muss, wer es war. Bitten Sie einen anderen Benutzer mit dieser Berechtigung.',
  exportStarted: 'Export gestartet.',
  erasureStarted:
    'Löschung gestartet. Die Daten sind jetzt nicht mehr sichtbar und in etwa 16 Minuten vollständig gelöscht.',
  confirmTitle: (name) => `„${name}“ endgültig löschen?`,
  confirm: {
    user: 'Der Benutzer wird mit allen Kanälen, Sitzungen und Tokens gelöscht. Sein Name wird aus Alarmen, Rückmeldungen und Änderungen entfernt. Das lässt sich nicht rückgängig machen.',
    sensor:
      'Der Sensor wird mit seinem Raum, seinen Regeln, allen Ereignissen und Alarmen und deren Zustellungen gelöscht. Sein Gerät muss sich neu registrieren. Das lässt sich nicht rückgängig machen.',
    customer:
      'Alle Benutzer, Sensoren, Regeln, Webhooks, Ereignisse und Alarme werden gelöscht. Bei Stürzen wird niemand mehr benachrichtigt. Das lässt sich nicht rückgängig machen.',
  },
  exports: 'Exporte',
  erasures: 'Löschungen',
  noExports: 'Keine Exporte in den letzten 400 Tagen.',
  noErasures: 'Keine Löschungen in den letzten 400 Tagen.',
  started: 'Gestartet',
  ended: 'Beendet',
  state: 'Status',
  states: { running: 'Läuft', completed: 'Abgeschlossen', failed: 'Fehlgeschlagen' },
  canRestart: 'Sie können den Vorgang neu starten.',
  endsAt: (time) => `Fertig gegen ${time}`,
  items: 'Einträge',
  download: 'Herunterladen',
  linkValidity: 'Jeder Download wird protokolliert. Dateien werden einen Tag lang aufbewahrt.',
  noFile: 'Nicht mehr verfügbar',
  certificate: 'Nachweis',
  progress: 'Fortschritt',
  notYet: 'Die Löschung läuft noch. Das hat sie bisher gelöscht.',
  erased: 'Was gelöscht wurde',
  nothing: 'Nichts gefunden.',
  remains: 'Was bleibt und bis wann',
  remaining: {
    backups: 'Backups',
    logs: 'Protokolle',
    quarantine: 'Nachrichten in Quarantäne',
    outbox: 'Mails und Nachrichten im Postausgang',
    list_of_erasures: 'Der Eintrag dieser Löschung',
  },
  untilDeleted: 'bis der Betreiber sie löscht',
};
