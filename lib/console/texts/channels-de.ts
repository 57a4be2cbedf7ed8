import type { channels as english } from './channels-en.ts';

/** The German texts of the page where users say by what they are reached. */
export const channels: typeof english = {
  explain: 'Wodurch Regeln Ihnen Alarme melden können. Niemand außer Ihnen sieht oder ändert das.',
  kinds: { email: 'E-Mail', sms: 'SMS', push: 'Push auf diesem Gerät', telegram: 'Telegram' },
  addresses: { email: 'E-Mail-Adresse', sms: 'Mobilnummer', telegram: 'Nummer des Chats' },
  hints: {
    email: 'Wo eine Mail Sie jederzeit erreicht',
    sms: 'Mit der Vorwahl des Landes: +49 170 1234567',
    telegram: 'Starten Sie zuerst den Bot dieses Dienstes, oder fügen Sie ihn Ihrer Gruppe hinzu',
  },
  sendCode: 'Einen Code dorthin senden',
  code: 'Code',
  codeSent: 'Sechs Ziffern, die dorthin gesendet wurden; sie gelten 10 Minuten',
  prove: 'Bestätigen',
  proven: 'Bestätigt',
  provenNow: 'Bestätigt: Alarme können Sie dort erreichen.',
  unproven: 'Wartet auf den Code',
  removeText: 'Regeln, die Ihnen hierdurch melden, erreichen Sie nicht mehr.',
  pushExplain: 'Alarme erscheinen auf diesem Gerät, auch wenn die Konsole geschlossen ist.',
  pushedTo: (host) => `Alarme gehen an ein Gerät, über ${host}. Schalten Sie hier ein, so gehen sie an dieses.`,
  switchOn: 'Hier einschalten',
  pushRefused:
    'Dieser Browser hat es nicht erlaubt. Erlauben Sie in seinen Einstellungen Mitteilungen dieser Seite, und versuchen Sie es noch einmal.',
  cannotPush:
    'An diesen Browser kann nichts gesendet werden. Fügen Sie auf einem iPhone die Konsole zuerst dem Home-Bildschirm hinzu.',
  duty: 'Im Dienst',
  onDuty: (until) => `Sie sind im Dienst bis ${until}.`,
  offDuty: 'Sie sind nicht im Dienst.',
  hours: (count) => (count === 1 ? 'Für 1 Stunde' : `Für ${count} Stunden`),
  endDuty: 'Jetzt nicht mehr im Dienst',
};
