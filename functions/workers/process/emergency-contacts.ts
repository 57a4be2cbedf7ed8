import { deliveriesTo, type KnownRecipients, readRecipients } from '#shared/api/addressees.ts';
import { type EventContext, serviceFrom } from '#shared/domain/delivery/snapshot.ts';
import { eventOf } from '#shared/domain/event/event.ts';
import { DEFAULT_LOCALE, type Language, languageOf } from '#shared/domain/identity/language.ts';
import type { EmergencyContact } from '#shared/domain/people/emergency-contact.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import type { ProcessDeps } from './context.ts';
import { enqueueDeliveries, writeDeliveries } from './deliveries.ts';
import { messageFor } from './hits.ts';

/** The round numbers for notifying emergency contacts. They are higher than any round number in an escalation. */
const emergencyRounds = { unnotified: 1_000, unanswered: 1_001 };

const emergencyTexts: Record<Language, { unnotified: string; unanswered: string }> = {
  en: {
    unnotified: 'Nobody has been notified of this alarm. Please check the room.',
    unanswered: 'Nobody has responded to this alarm. Please check the room.',
  },
  de: {
    unnotified: 'Niemand wurde über diesen Alarm benachrichtigt. Bitte sehen Sie in dem Raum nach.',
    unanswered: 'Niemand hat auf diesen Alarm reagiert. Bitte sehen Sie in dem Raum nach.',
  },
};

/** Returns a rule whose only purpose is to provide alarm texts. */
const emergencyRule = ({ customerId, ruleId, situation, isUnanswered }: UnnotifiedAlarm, language: Language): Rule => ({
  id: ruleId ?? 0,
  customerId,
  name: '',
  title: '{situation}: {sensor}',
  message: emergencyTexts[language][isUnanswered ? 'unanswered' : 'unnotified'],
  situation,
  isEnabled: true,
  sensorId: null,
  sensorGroupId: null,
  regionId: null,
  schedule: null,
  recipients: [],
  createDate: 0,
  updateDate: 0,
  escalation: [],
  repeatSeconds: null,
  rateLimitSeconds: 0,
  includeSimulated: false,
  untilAcknowledged: true,
});

/** Everything needed to notify the emergency contacts. */
export type Emergency = {
  eventContext: EventContext;
  contacts: readonly EmergencyContact[];
  recipients: KnownRecipients;
};

/** Reads a customer's emergency contacts. Null if there are none, or the sensor is gone. */
export const loadEmergency = async (
  deps: ProcessDeps,
  { customerId, sensorId, situation, eventUuid, createDate }: UnnotifiedAlarm,
): Promise<Emergency | null> => {
  const { sensor, customer } = await deps.store.sensors.getWithContext(customerId, sensorId);
  const contacts = customer?.emergencyContacts ?? [];
  if (!sensor || contacts.length === 0) return null;
  const recipients = await readRecipients(deps, { customerId, customer }, contacts);
  const happening = eventOf(situation);
  const event = { id: 0, uuid: eventUuid, receiveDate: createDate, source: null, createDate, happening, rules: [] };
  return { contacts, recipients, eventContext: { service: serviceFrom(deps.settings), event, sensor, customer } };
};

const addresseesIn = ({ contacts, recipients }: Emergency) =>
  contacts.map(({ userId, by }) => {
    const user = recipients.users.get(userId);
    return { accountId: userId, name: user ? nameOfUser(user) : '', by };
  });

/** Returns the messages to add to a hit, one for each contact. */
export const emergencyMessages = (deps: ProcessDeps, emergency: Emergency, hitId: number): RuleMessage[] => {
  const time = deps.now();
  return addresseesIn(emergency).map((addressee) => ({
    ...messageFor(deps, addressee),
    ruleHitId: hitId,
    createDate: time,
    updateDate: time,
    step: 0,
  }));
};

/** Notifies the emergency contacts, each in their language. Their messages come last in the hit. */
export const notifyContacts = async (
  deps: ProcessDeps,
  emergency: Emergency,
  alarm: UnnotifiedAlarm,
): Promise<void> => {
  const { eventContext, recipients } = emergency;
  const { customerId, hitId, date, isUnanswered } = alarm;
  const messages = hitId === null ? [] : ((await deps.store.ruleHits.get(customerId, hitId))?.messages ?? []);
  const deliveries = addresseesIn(emergency).map((addressee) => {
    const { accountId, by } = addressee;
    const rule = emergencyRule(alarm, languageOf(recipients.users.get(accountId)?.locale ?? DEFAULT_LOCALE));
    const place = messages.findLastIndex((message) => message.accountId === accountId && message.publisher === by);
    const hit = hitId === null ? null : { id: hitId, message: place };
    const round = { round: emergencyRounds[isUnanswered ? 'unanswered' : 'unnotified'], at: date };
    return deliveriesTo(deps, eventContext, recipients, { rule, addressee, hit, round });
  });
  const posted = await writeDeliveries(deps, (await Promise.all(deliveries)).flat(), recipients);
  await enqueueDeliveries(deps, posted);
};
