import type { channels as english } from './channels-en.ts';

/** German texts for the user's channels page. */
export const channels: typeof english = {
  explain: 'So können Regeln Sie bei Alarmen benachrichtigen. Nur Sie sehen und ändern das.',
  kinds: { email: 'E-Mail', sms: 'SMS', push: 'Push auf diesem Gerät', telegram: 'Telegram' },
  addresses: { email: 'E-Mail-Adresse', sms: 'Mobilnummer', telegram: 'Chat-ID' },
  hints: {
    email: 'Eine Adresse, deren Mails Sie sofort sehen',
    sms: 'Mit Ländervorwahl: +49 170 1234567',
    telegram: 'Starten Sie zuerst den Telegram-Bot dieses Systems oder fügen Sie ihn Ihrer Gruppe hinzu',
  },
  sendCode: 'Code senden',
  code: 'Code',
  codeSent: 'Die sechs Ziffern, die wir Ihnen gesendet haben; gültig für 10 Minuten',
  confirm: 'Bestätigen',
  confirmed: 'Bestätigt',
  confirmedNow: 'Bestätigt. Alarme erreichen Sie jetzt auf diesem Weg.',
  unconfirmed: 'Noch nicht bestätigt',
  removeText: 'Regeln können Sie auf diesem Weg nicht mehr benachrichtigen.',
  pushExplain: 'Alarme erscheinen auf diesem Gerät, auch wenn die Konsole geschlossen ist.',
  outbox: 'Dieser Server schreibt diese Nachrichten nur in Dateien. Sie kommen bei niemandem an.',
  pushedTo: (host) =>
    `Push-Mitteilungen gehen immer nur an ein einziges Gerät, derzeit an ein anderes (Push-Dienst: ${host}). Schalten Sie sie hier ein, um sie auf diesem Gerät zu erhalten.`,
  turnOn: 'Push hier einschalten',
  pushRefused:
    'Mitteilungen sind blockiert. Erlauben Sie sie für diese Seite in den Einstellungen Ihres Browsers und versuchen Sie es dann erneut.',
  cannotPush:
    'Dieser Browser unterstützt keine Push-Mitteilungen. Fügen Sie die Konsole auf einem iPhone zuerst dem Home-Bildschirm hinzu.',
  undeliverable: 'Unzustellbar',
  undeliverableAt: (date, reason) =>
    `Eine Nachricht ist nicht angekommen (gemeldet am ${date}): ${reason}. Alarme werden weiterhin hierher gesendet. Berichtigen Sie die Adresse, oder bestätigen Sie mit einem Code, dass sie wieder funktioniert.`,
  undeliverableBy: (kind, date, reason) => `${kind} unzustellbar seit ${date}: ${reason}`,
  duty: 'Im Dienst',
  onDuty: (until) => `Sie sind bis ${until} im Dienst.`,
  offDuty: 'Sie sind nicht im Dienst.',
  hours: (count) => (count === 1 ? 'Für 1 Stunde' : `Für ${count} Stunden`),
  endDuty: 'Dienst beenden',
};
