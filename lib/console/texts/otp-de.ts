import type { otp as en } from './otp-en.ts';

/** Texts about logins: their second factor, and the sessions that they start. */
export const otp: typeof en = {
  title: 'Zweiter Faktor',
  explain:
    'Mit einem zweiten Faktor braucht eine Anmeldung außer dem Passwort einen Code einer Authenticator-App auf Ihrem Telefon.',
  begin: 'Zweiten Faktor einrichten',
  scan: 'Scannen Sie das Bild mit Ihrer Authenticator-App, oder tippen Sie das Geheimnis ein. Geben Sie dann den Code ein, den die App zeigt.',
  picture: 'QR-Code für die Authenticator-App',
  secret: 'Geheimnis',
  code: 'Code',
  switchOn: 'Einschalten',
  codes: 'Ersatzcodes',
  keepCodes:
    'Bewahren Sie diese Codes dort auf, wo Sie sie ohne Ihr Telefon finden. Jeder ersetzt einen Code. Sie werden nur dieses eine Mal gezeigt.',
  kept: 'Ich habe sie aufbewahrt',
  isOn: 'Der zweite Faktor ist eingeschaltet. Wenn Sie ein anderes Telefon haben, entfernen Sie ihn und richten ihn neu ein.',
  remove: 'Zweiten Faktor entfernen',
  removed: 'Der zweite Faktor ist entfernt. Melden Sie sich mit Ihrem Passwort an.',
  demanded: 'Ihr Kunde verlangt einen zweiten Faktor. Richten Sie ihn ein, um fortzufahren.',
  lost: 'Der Benutzer meldet sich mit einem Code einer Authenticator-App an. Wer sie verloren hat, braucht das hier und meldet sich danach mit dem Passwort allein an.',
  lostRemoved: 'Der zweite Faktor ist entfernt; alle Sitzungen des Benutzers sind beendet.',
  sessions: 'Sitzungen',
  since: 'Angemeldet',
  address: 'Adresse',
  browser: 'Browser',
  thisOne: 'Diese',
  end: 'Beenden',
  ended: 'Die Sitzung ist beendet.',
  noSessions: 'Es gibt keine Sitzung.',
};
