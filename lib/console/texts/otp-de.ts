import type { otp as en } from './otp-en.ts';

/** German texts about second factors and sessions. */
export const otp: typeof en = {
  title: 'Zweiter Faktor',
  explain:
    'Mit einem zweiten Faktor melden Sie sich mit Ihrem Passwort und einem Code aus einer Authenticator-App auf Ihrem Telefon an.',
  begin: 'Zweiten Faktor einrichten',
  scan: 'Scannen Sie diesen QR-Code mit Ihrer Authenticator-App oder geben Sie den Schlüssel von Hand ein. Geben Sie dann den Code ein, den die App anzeigt.',
  picture: 'QR-Code für die Authenticator-App',
  secret: 'Schlüssel',
  code: 'Code',
  turnOn: 'Einschalten',
  codes: 'Wiederherstellungscodes',
  keepCodes:
    'Bewahren Sie diese Codes so auf, dass Sie sie auch ohne Ihr Telefon finden. Jeder gilt einmal anstelle eines Codes aus der App. Sie werden nicht noch einmal angezeigt.',
  codesSaved: 'Ich habe sie gesichert',
  isOn: 'Der zweite Faktor ist eingeschaltet. Um ein anderes Telefon zu verwenden, entfernen Sie ihn und richten Sie ihn neu ein.',
  remove: 'Zweiten Faktor entfernen',
  removed: 'Zweiter Faktor entfernt. Melden Sie sich mit Ihrem Passwort an.',
  required: 'Ihr Konto erfordert einen zweiten Faktor. Richten Sie ihn ein, um fortzufahren.',
  removeHint:
    'Dieser Benutzer meldet sich mit einem Code aus einer Authenticator-App an. Ist die App nicht mehr verfügbar, entfernen Sie den zweiten Faktor. Danach genügt das Passwort.',
  removedForUser: 'Zweiter Faktor entfernt. Alle Sitzungen dieses Benutzers sind beendet.',
  sessions: 'Sitzungen',
  since: 'Angemeldet',
  address: 'IP-Adresse',
  browser: 'Browser',
  thisOne: 'Diese Sitzung',
  end: 'Sitzung beenden',
  ended: 'Sitzung beendet.',
  noSessions: 'Keine Sitzungen.',
};
