import { LAST_PASS_AFTER, MAX_LOGIN_AGE } from '#shared/domain/identity/data-job.ts';
import type { LimitName } from '#shared/domain/identity/quota.ts';
import type { Problem } from '#shared/domain/problem.ts';
import type { ErrorCode } from '../errors.ts';

export const errorTexts: Record<ErrorCode, string> = {
  bad_request: 'Die Anfrage ist ungültig',
  sensor_wrong_manufacturer: 'Für Sensoren dieses Herstellers gibt es das nicht',
  credentials_invalid: 'Die Anmeldedaten sind ungültig',
  reset_code_invalid: 'Der Code ist ungültig oder abgelaufen',
  otp_required: 'Geben Sie den Code Ihres zweiten Faktors ein',
  oidc_refused: 'Der Identitätsanbieter hat die Anmeldung abgelehnt, oder das Konto hat hier keinen Zugriff',
  csrf_detected: 'Die Anfrage kam nicht von der Seite, die die Sitzung gestartet hat. Die Sitzung ist beendet',
  forbidden: 'Das ist nicht erlaubt',
  otp_setup_required: 'Ihr Konto erfordert einen zweiten Faktor. Richten Sie ihn zuerst ein',
  login_too_old: `Melden Sie sich neu an: Die Anmeldung darf nicht älter als ${MAX_LOGIN_AGE / 60_000} Minuten sein`,
  erasure_requester:
    'Sie haben die Löschung Ihres Kunden beantragt. Bis sie beginnt oder abgebrochen wird, können Sie keine Benutzer entfernen und weder deren Berechtigungen noch deren Anmeldung ändern',
  path_unknown: 'Unter diesem Pfad gibt es nichts',
  user_not_found: 'Der Benutzer wurde nicht gefunden',
  customer_not_found: 'Der Kunde wurde nicht gefunden',
  sensor_not_found: 'Der Sensor wurde nicht gefunden',
  event_not_found: 'Das Ereignis wurde nicht gefunden',
  bot_not_found: 'Der Bot wurde nicht gefunden',
  rule_not_found: 'Die Regel wurde nicht gefunden',
  rule_hit_not_found: 'Der Regeltreffer wurde nicht gefunden',
  fall_not_found: 'Der Sturz wurde nicht gefunden',
  webhook_not_found: 'Der Webhook wurde nicht gefunden',
  provisioning_key_not_found: 'Der Registrierungsschlüssel wurde nicht gefunden',
  pairing_code_unknown: 'Der Kopplungscode ist ungültig',
  access_token_not_found: 'Das Zugriffstoken wurde nicht gefunden',
  otp_not_found: 'Es ist kein zweiter Faktor eingerichtet',
  session_not_found: 'Die Sitzung wurde nicht gefunden',
  sensor_group_not_found: 'Die Sensorgruppe wurde nicht gefunden',
  feedback_not_found: 'Die Rückmeldung wurde nicht gefunden',
  address_unknown: 'Dieser Link ist ungültig oder abgelaufen',
  firmware_not_found: 'Die Firmware wurde nicht gefunden',
  channel_not_found: 'Der Kanal wurde nicht gefunden',
  delivery_not_found: 'Die Zustellung wurde nicht gefunden',
  replay_not_found: 'Die Wiederholung wurde nicht gefunden',
  job_not_found: 'Der Auftrag wurde nicht gefunden',
  method_not_allowed: 'Diese Methode ist unter diesem Pfad nicht erlaubt',
  username_taken: 'Der Benutzername ist vergeben',
  otp_on: 'Der zweite Faktor ist bereits eingeschaltet. Entfernen Sie ihn zuerst',
  oidc_off: 'Für die Anmeldung ist hier kein Identitätsanbieter eingerichtet',
  user_external: 'Der Benutzer meldet sich über einen anderen Dienst an und hat hier kein Passwort',
  customer_missing: 'Der Benutzer gehört zu keinem Kunden',
  sensor_of_another_customer: 'Der Sensor gehört einem anderen Kunden',
  sensor_being_erased: `Die Daten des Sensors werden gerade gelöscht. Verbinden Sie ihn in ${LAST_PASS_AFTER / 60_000} Minuten, wenn die Löschung abgeschlossen ist`,
  sensor_active: 'Der Sensor ist online. Gelöscht werden können nur Sensoren, die offline sind',
  region_in_use:
    'Regeln verwenden Bereiche, die dieser Raum nicht hat: {rules}. Ändern oder löschen Sie zuerst diese Regeln',
  sensor_group_in_use: 'Eine Regel oder der Filter eines Webhooks verwendet die Sensorgruppe. Ändern Sie das zuerst',
  customer_in_use: 'Der Kunde hat noch Benutzer oder Sensoren',
  firmware_in_use: 'Die Firmware ist Standard, oder ein Sensor ist auf sie festgelegt',
  firmware_exists: 'Eine Firmware dieser Version gibt es schon',
  access_tokens_too_many: 'Der Benutzer hat bereits die Höchstzahl an Zugriffstokens',
  webhook_disabled: 'Der Webhook ist deaktiviert',
  webhook_has_address:
    'Der Webhook hat eine URL. Seine Ereignisse werden dorthin gesendet und lassen sich nicht abholen',
  acknowledged_already: '{name} geht bereits hin',
  fall_closed: 'Der Sturz ist abgeschlossen; der Alarm lässt sich nicht mehr zurückgeben',
  report_too_long: 'Dieser Zeitraum hat mehr Einträge, als ein Bericht zählen kann. Wählen Sie einen kürzeren Zeitraum',
  erasure_requested: 'Die Löschung dieses Kunden wurde bereits beantragt',
  erasure_begun: 'Die Löschung hat bereits begonnen',
  erasure_canceled: 'Die Löschung wurde abgebrochen',
  body_too_slow: 'Die Übertragung der Anfrage hat zu lange gedauert',
  limit_reached: 'Limit erreicht: höchstens {most} {what}',
  registration_refused:
    'Der Sensor ist mit einem Kunden verbunden. Um sich neu zu registrieren, braucht er sein aktuelles Token, oder sein Kunde muss es erlauben',
  body_too_large: 'Der Inhalt ist zu groß',
  media_type_unsupported: 'Der Inhalt muss application/json sein',
  expectation_unknown: 'Außer 100-continue wird keine Erwartung unterstützt',
  rate_limited: 'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut',
  internal: 'Bei uns ist etwas schiefgegangen',
  unavailable: 'Das System ist im Moment nicht verfügbar',
};

export const limitNames: Record<LimitName, string> = {
  webhooks: 'Webhooks',
  bots: 'Bots',
  rules: 'Regeln',
  rulesOfOneSituation: 'aktive Regeln für denselben Bereich und dieselbe Situation',
  users: 'Benutzer',
  sensors: 'Sensoren',
  sensorsInGroup: 'Sensoren in einer Gruppe',
  sensorGroups: 'Sensorgruppen',
  replays: 'laufende Wiederholungen eines Webhooks',
  messagesPerSecond: 'Nachrichten eines Sensors pro Sekunde',
  smsPerDay: 'SMS pro Tag',
  smsCodesPerDay: 'SMS mit Codes pro Tag',
  smsTestsPerDay: 'Test-SMS pro Tag',
  devices: 'Geräte eines Registrierungsschlüssels',
  invitations: 'Einladungen pro Tag',
};

export const problemTexts: Record<Problem, string> = {
  required: 'ist erforderlich',
  type: 'muss vom Typ {expected} sein',
  invalid: 'ist ungültig',
  minimum: 'muss mindestens {limit} sein',
  maximum: 'darf höchstens {limit} sein',
  text_length: 'muss {min} bis {max} Zeichen lang sein',
  text_characters:
    'darf keine Steuerzeichen, Zeilentrenner, Zeichen für die Schreibrichtung oder unvollständigen Zeichen enthalten',
  password_length: 'muss {min} bis {max} Bytes lang sein',
  password_common: 'gehört zu den häufigsten Passwörtern',
  standard_secret:
    'muss mit whsec_ (kleingeschrieben) beginnen, gefolgt von {min} bis {max} Bytes als Base64 mit Füllzeichen',
  choice: 'muss einer dieser Werte sein: {choices}',
  items: 'hat die falsche Anzahl von Einträgen oder Zeichen; die Grenze ist {limit}',
  json: 'ist kein gültiges JSON',
  json_depth: 'ist zu tief verschachtelt',
  steps_rise: 'muss später sein als die Stufe davor',
  one_scope: 'muss fehlen, wenn sensorId angegeben ist',
  region_needs_sensor: 'muss fehlen, wenn sensorId nicht angegeben ist',
  situation_has_no_region: 'muss fehlen, weil diese Situation keinen Bereich hat',
  customer_hook_has_no_bot: 'muss bei einem Kunden-Webhook fehlen',
  bot_hook_needs_bot: 'ist für einen Bot-Webhook erforderlich',
  format_is_for_bots: 'ist ein Format nur für Bot-Webhooks',
  filter_is_for_customer_hooks: 'gibt es nur bei Kunden-Webhooks. Was ein Bot erhält, legen seine Regeln fest',
  unknown_reference: 'gibt es nicht',
  time_zone: 'ist keine IANA-Zeitzone',
  repeated_header: 'darf nur einmal gesendet werden',
  customer_required: 'ist erforderlich, weil Sie zu keinem Kunden gehören',
  format_cannot_tell: 'nennt einen Webhook, dessen Format diese Situation nicht ausdrücken kann',
  format_loses_rules: 'kann die Situation einer Regel, die diesen Webhook verwendet, nicht abbilden',
  foreign_webhook: 'ist kein Webhook dieses Bots',
  not_reachable: 'ist ein Kanal, den dieser Benutzer nicht bestätigt hat',
  cannot_log_in: 'ist ein Benutzer, der sich nicht anmelden darf',
  needs_mail: 'erfordert E-Mails, die dieser Dienst nicht senden kann',
  channel_not_offered: 'ist ein Kanal, über den dieser Dienst nicht senden kann; möglich sind: {choices}',
  url: 'ist keine erlaubte Adresse',
  url_address: 'führt zu einer Adresse, die nicht erlaubt ist',
  url_loopback: 'führt zum Rechner dieses Dienstes. Dessen Betreiber kann das mit ALLOWED_TARGET_RANGES erlauben',
  hardware_id: 'ist keine Hardware-ID dieses Herstellers',
  unsupported: 'wird von Sensoren dieses Herstellers nicht unterstützt; möglich sind: {choices}',
  outside_room: 'liegt außerhalb des Raums; erlaubt ist {least} bis {most}',
  region_corners: 'muss links von und über der Gegenecke liegen',
  region_side: 'macht eine Seite kürzer als {limit} cm',
  z_order: 'muss kleiner als zMax sein',
  region_count: 'hat zu viele Bereiche; die Grenze ist {limit}',
  rate_order: 'darf nicht unter der unteren Rate liegen',
  wrong_password: 'ist nicht das aktuelle Passwort',
  wrong_code: 'ist nicht der gesendete Code oder nicht mehr gültig',
  wrong_otp: 'ist nicht der aktuelle Code der App',
  channel_gone: 'ist nicht erreichbar',
  csv: 'ist in Zeile {line} kein gültiges CSV',
  duplicate_row: 'steht auch in Zeile {row}',
  ambiguous: 'ist mehrfach vergeben; bitte zuerst umbenennen',
  taken: 'ist vergeben',
  email_kept: 'weicht von der Adresse dieses Benutzers ab, die ein Import nicht ändert',
  not_held: 'braucht Berechtigungen, die Sie nicht haben: {choices}',
  changed_since: 'wurde seit der Prüfung des Imports geändert oder gelöscht',
  limit: 'überschreitet die Grenze von {limit}',
};

export const resetMail = {
  subject: 'Ihr Code für ein neues Passwort',
  text: `Für Ihr Konto wurde ein neues Passwort angefordert. Mit diesem Code können Sie es innerhalb von {minutes} Minuten festlegen. Er gilt einmal.

{code}

Falls Sie das nicht waren, können Sie diese Mail ignorieren. Ohne den Code ändert sich nichts.
`,
};

export const addressMail = {
  subject: 'Ihre E-Mail-Adresse wurde geändert',
  text: `Die E-Mail-Adresse Ihres Kontos {username} wurde geändert. Falls Sie das nicht waren, legen Sie jetzt ein neues Passwort fest, und informieren Sie jemanden, der Benutzer verwaltet.

Codes für ein neues Passwort werden noch 24 Stunden lang an diese Adresse gesendet, es sei denn, jemand, der Benutzer verwaltet, hat die Adresse geändert.
`,
};

export const invitationMail = {
  subject: 'Ihr Konto',
  text: `Für Sie wurde ein Konto mit dem Benutzernamen {username} angelegt. Legen Sie innerhalb von {days} Tagen ein Passwort fest:

{link}

Oder geben Sie diesen Code in der Konsole unter „Passwort zurücksetzen“ ein:

{code}
`,
};
