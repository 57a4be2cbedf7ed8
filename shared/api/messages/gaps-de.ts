import type { gaps as english } from './gaps-en.ts';

export const gaps: typeof english = {
  no_sensors: ['Es gibt keine Sensoren.', 'Verbinden Sie einen Sensor.'],
  sensor_offline: ['Sensoren sind offline und melden nichts.', 'Prüfen Sie ihre Stromversorgung und ihr Netzwerk.'],
  no_rule: [
    'Keine Regel benachrichtigt jemanden bei einem Sturz.',
    'Erstellen Sie eine Regel für erkannte Stürze oder nehmen Sie diese Sensoren in eine bestehende auf.',
  ],
  hours_without_rule: [
    'Zu diesen Zeiten benachrichtigt keine Regel jemanden bei einem Sturz.',
    'Erweitern Sie den Zeitplan einer Regel oder erstellen Sie eine Regel für diese Zeiten.',
  ],
  silent_mode: [
    'Der stille Betrieb ist eingeschaltet: Stürze werden aufgezeichnet, aber niemand wird benachrichtigt.',
    'Bitten Sie einen Systemverwalter, ihn in der Konfiguration des Sensors unter „Kritisch“ auszuschalten. Ist er dort schon ausgeschaltet, muss die Konfiguration erneut gespeichert werden.',
  ],
  fall_detection_off: [
    'Die Sturzerkennung ist ausgeschaltet.',
    'Schalten Sie sie in der Konfiguration des Sensors ein.',
  ],
  unknown_messages: [
    'Die meisten Nachrichten der letzten 24 Stunden wurden nicht verstanden.',
    'Prüfen Sie die Firmware des Sensors. Seine Ereignisse zeigen die Nachrichten.',
  ],
  nobody_on_duty: [
    'Stürze werden den Personen im Dienst gemeldet, aber niemand im Dienst kann benachrichtigt werden.',
    'Treten Sie den Dienst mit einem bestätigten Kanal an, den die Regel verwendet, oder ergänzen Sie in der Regel einen anderen Empfänger.',
  ],
  unreachable_recipient: [
    'Ein Empfänger einer Sturzregel ist nicht erreichbar.',
    'Prüfen Sie die Kanäle der Person oder den Webhook oder wählen Sie in der Regel einen anderen Empfänger.',
  ],
  webhook_failing: [
    'Der Empfänger eines Webhooks ist gestört.',
    'Prüfen Sie den Empfänger oder ergänzen Sie einen anderen.',
  ],
  webhook_off: [
    'Ein Webhook, der Stürze meldet, ist deaktiviert.',
    'Aktivieren Sie ihn oder wählen Sie in der Regel einen anderen Empfänger.',
  ],
  raw_only: [
    'Stürze werden nur an einen Webhook im Format Raw gesendet. Daran ist nicht zu erkennen, ob ein Sturz allein durch Zeitablauf zum Alarm wurde.',
    'Wählen Sie für den Webhook ein anderes Format oder ergänzen Sie in der Regel einen anderen Empfänger.',
  ],
  no_rule_for_silence: [
    'Niemand wird benachrichtigt, wenn ein Sensor offline geht.',
    'Erstellen Sie eine Regel für Sensoren, die offline gehen, oder prüfen Sie die Empfänger der bestehenden.',
  ],
  loopback_target: [
    'Ein Webhook zeigt auf den Rechner, auf dem dieser Dienst läuft, und könnte dort Programme erreichen, die nicht erreichbar sein sollen.',
    'Geben Sie dem Empfänger eine andere Adresse oder bitten Sie den Betreiber, diese mit ALLOWED_TARGET_RANGES zu erlauben.',
  ],
  unnotified: [
    'Ein Alarm hat niemanden erreicht.',
    'Sehen Sie jetzt nach der Person. Prüfen Sie danach die Empfänger der Regel.',
  ],
};
