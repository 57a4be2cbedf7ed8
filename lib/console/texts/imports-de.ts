import type { imports as en } from './imports-en.ts';

/** German texts for imports. */
export const imports: typeof en = {
  title: 'Import',
  explain:
    'Füllen Sie eine Tabelle aus und laden Sie sie hier hoch. Sie wird zuerst geprüft; geändert wird erst etwas, wenn Sie sie importieren. Dieselbe Datei erneut zu importieren ändert nichts.',
  kind: 'Was importiert wird',
  kinds: { users: 'Benutzer', sensors: 'Räume und Sensoren', rules: 'Regeln' },
  template: 'Vorlage',
  templateHint:
    'Eine Tabelle mit einer Beispielzeile. Öffnen Sie sie in einer Tabellenkalkulation, ersetzen Sie das Beispiel durch Ihre Zeilen und speichern Sie als CSV. Spalten, die Sie nicht brauchen, können Sie löschen.',
  download: 'Vorlage herunterladen',
  columns: 'Spalten',
  column: 'Spalte',
  meaning: 'Was hineingehört',
  required: 'erforderlich',
  situations: 'Werte der Spalte „situation“',
  file: 'Datei',
  choose: 'CSV-Datei, höchstens 1.000 Zeilen',
  checking: 'Die Datei wird geprüft …',
  check: {
    title: 'Was der Import ändern würde',
    rows: 'Zeilen',
    users: { created: 'Benutzer, die per E-Mail eingeladen werden', updated: 'Benutzer, die geändert werden' },
    sensors: { created: 'Sensoren, die verbunden werden', updated: 'Sensoren, die geändert werden' },
    rules: { created: 'Regeln, die angelegt werden', updated: 'Regeln, die geändert werden' },
    unchanged: 'Zeilen, die nichts ändern',
    nothing: 'Diese Datei würde nichts ändern: Alles darin ist bereits so eingetragen.',
    action: (rows) => (rows === 1 ? '1 Zeile importieren' : `${rows} Zeilen importieren`),
  },
  errors: {
    title: (count) => (count === 1 ? '1 Fehler, nichts wurde importiert' : `${count} Fehler, nichts wurde importiert`),
    explain: 'Korrigieren Sie die Datei und wählen Sie sie noch einmal. Zeile 1 ist die erste unter den Spaltennamen.',
    row: 'Zeile',
    field: 'Spalte',
    message: 'Fehler',
    more: (count) =>
      count === 1 ? '1 weiterer Fehler ist nicht aufgeführt.' : `${count} weitere Fehler sind nicht aufgeführt.`,
    ofFile: 'ganze Datei',
  },
  running: (rows) => (rows === 1 ? '1 Zeile wird importiert …' : `${rows} Zeilen werden importiert …`),
  runningHint: 'Sie können diese Seite verlassen. Der Import läuft weiter.',
  completed: 'Import abgeschlossen',
  failed: 'Einige Zeilen wurden nicht importiert',
  failedHint:
    'Nach der Prüfung der Datei hat sich etwas geändert. Höchstens 100 Fehler sind aufgeführt. Importieren Sie dieselbe Datei noch einmal: Bereits importierte Zeilen bleiben, wie sie sind.',
  unfinished: 'Import nicht abgeschlossen',
  unfinishedHint:
    'Der Import hat zu lange gedauert, und einige Zeilen wurden möglicherweise nicht importiert. Importieren Sie dieselbe Datei noch einmal: Bereits importierte Zeilen bleiben, wie sie sind.',
  done: { created: 'Angelegt', updated: 'Geändert' },
  toList: 'Liste anzeigen',
  another: 'Weitere Datei importieren',
  hints: {
    users: {
      username:
        'Name für die Anmeldung. Ein Benutzer mit diesem Namen wird geändert, jeder andere per E-Mail eingeladen.',
      firstName: 'Vorname',
      lastName: 'Nachname',
      email: 'Adresse für die Einladung. Bei vorhandenen Benutzern kann sie nicht geändert werden.',
      locale: 'Sprache: en oder de',
      telegramId: 'Telegram-ID, darf leer sein',
      mobileNumber: 'Mobilnummer mit Ländervorwahl, etwa +49170…',
      permissions:
        'Eine oder mehrere von diesen, durch Leerzeichen getrennt: manage_users, manage_customers, manage_bots, manage_sensors, edit_sensor_room, edit_sensor_config, manage_rules. Nur Berechtigungen, die Sie selbst haben.',
    },
    sensors: {
      hardwareId: 'Die Nummer auf dem Sensor: 12 Zeichen, mit oder ohne Doppelpunkte',
      name: 'Name des Raums, wie er in Alarmen erscheint. Beginnen Sie mit dem, was an der Tür steht.',
      group: 'Name der Gruppe, etwa einer Station. Fehlt sie, wird sie angelegt.',
    },
    rules: {
      name: 'Name der Regel. Eine Regel mit diesem Namen wird geändert, jede andere angelegt.',
      title: 'Titel der Meldung; {sensor} wird zum Namen des Raums',
      message: 'Text der Meldung',
      situation: 'Situation, auf die die Regel reagiert; die Werte stehen unten',
      sensor: 'Hardware-ID eines Sensors; leer für alle',
      group: 'Name einer Gruppe; leer für alle',
      days: 'Tage, 1 ist Montag: 1 2 3 4 5. Leer: jeden Tag',
      from: 'Beginn, z. B. 21:00',
      to: 'Ende, z. B. 06:00',
      timeZone: 'Etwa Europe/Berlin; leer: Zeitzone der Einrichtung',
      rateLimitSeconds: 'Pause nach einer Meldung in Sekunden',
      includeSimulated: 'Simulierte Stürze einbeziehen: true oder false',
      isEnabled: 'true oder false',
      recipients:
        'Durch Semikolon getrennt: onDuty:sms für die Personen im Dienst, anna:email für den Benutzer anna, webhook:Rufanlage für den Webhook eines Bots. Kanäle: email, sms, push, telegram',
      escalation: 'Stufen durch | getrennt, jede mit ihren Sekunden: 60 onDuty:sms | 180 anna:email',
      repeatSeconds: 'Abstand der Wiederholungen in Sekunden, darf leer sein',
      untilAcknowledged: 'Fortfahren, bis jemand den Alarm übernimmt: true oder false',
    },
  },
};
