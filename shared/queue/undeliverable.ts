import * as z from 'zod';
import { type NotificationReference, referenceIn } from '../domain/delivery/notification-reference.ts';
import { optionalField } from '../domain/values.ts';

/** A notification accepted by a messaging service, but not delivered to the recipient. */
export type Undeliverable = { kind: 'undeliverable'; reason: string } & NotificationReference;
/** Any other messaging service event. Only its name is known. */
type OtherEvent = { kind: 'other'; event: string };

const anyString = optionalField(z.string());
const Recipient = z.object({ status: anyString, diagnosticCode: anyString });

/** https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html */
const MailEvent = z.object({
  eventType: z.string(),
  mail: z.object({ tags: z.record(z.string(), z.array(z.string())).catch({}) }),
  bounce: optionalField(
    z.object({ bounceType: anyString, bounceSubType: anyString, bouncedRecipients: optionalField(z.array(Recipient)) }),
  ),
  complaint: optionalField(z.object({ complaintSubType: anyString, complaintFeedbackType: anyString })),
  reject: optionalField(z.object({ reason: anyString })),
  failure: optionalField(z.object({ errorMessage: anyString })),
});
type MailEvent = z.output<typeof MailEvent>;

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-format.html */
const SmsEvent = z.object({
  eventType: z.string().startsWith('TEXT_'),
  isFinal: optionalField(z.boolean()),
  messageStatusDescription: anyString,
  context: z.unknown(),
});
type SmsEvent = z.output<typeof SmsEvent>;

const isText = (text: string | undefined): text is string => text !== undefined && text !== '';

/** The events for emails that did not arrive or were unwanted, as named in configuration sets. */
export const undeliverableMail = ['bounce', 'complaint', 'reject', 'renderingFailure'] as const;

/**
 * Returns the reasons why an email was not delivered, in order from general to specific, or null if the event does not
 * report a failure.
 */
const mailReason = ({ eventType, bounce, complaint, reject, failure }: MailEvent): string[] | null => {
  const [recipient] = bounce?.bouncedRecipients ?? [];
  const details = {
    Bounce: [bounce?.bounceType, bounce?.bounceSubType, recipient?.diagnosticCode ?? recipient?.status],
    Complaint: [complaint?.complaintSubType ?? complaint?.complaintFeedbackType],
    Reject: [reject?.reason],
    'Rendering Failure': [failure?.errorMessage],
  };
  if (!Object.hasOwn(details, eventType)) return null;
  return [eventType, ...details[eventType as keyof typeof details]].filter(isText);
};

/**
 * The events for SMS that did not reach the phone. `TEXT_UNKNOWN` is left out, because some networks never report a
 * result. https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-types.html
 */
export const undeliverableSms = [
  'TEXT_BLOCKED',
  'TEXT_CARRIER_BLOCKED',
  'TEXT_CARRIER_UNREACHABLE',
  'TEXT_INVALID',
  'TEXT_INVALID_MESSAGE',
  'TEXT_PROTECT_BLOCKED',
  'TEXT_SPAM',
  'TEXT_TTL_EXPIRED',
  'TEXT_UNREACHABLE',
] as const;

/** Returns why an SMS was not delivered, or null if the event does not report a failure or the network will retry. */
const smsReason = ({ eventType, isFinal, messageStatusDescription }: SmsEvent): string[] | null => {
  if (isFinal === false || !undeliverableSms.some((type) => type === eventType)) return null;
  return [eventType, messageStatusDescription].filter(isText);
};

const MAX_REASON = 200;
/** Addresses and telephone numbers, which servers repeat in their responses. */
const ADDRESSES = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+|\+?\d{7,}/g;

/** Returns a reason on one line, without the recipient's address, because people who manage users also read it. */
const reasonText = (parts: readonly string[]): string => {
  const text = parts
    .join(': ')
    .replaceAll(ADDRESSES, '…')
    .toWellFormed()
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return [...text].slice(0, MAX_REASON).join('');
};

const undeliverable = (eventType: string, reason: string[] | null, tags: unknown): Undeliverable | OtherEvent => {
  const reference = reason && referenceIn(tags);
  if (!reason || !reference) return { kind: 'other', event: eventType.slice(0, 64) };
  return { kind: 'undeliverable', reason: reasonText(reason), ...reference };
};

const contentOf = (message: string): unknown => {
  try {
    return JSON.parse(message);
  } catch {
    return null;
  }
};

/** Returns the event in a topic message. Any text counts as an event, because SES announces itself with a sentence. */
const eventIn = (message: string): Undeliverable | OtherEvent => {
  const content = contentOf(message);
  const sms = SmsEvent.safeParse(content).data;
  if (sms) return undeliverable(sms.eventType, smsReason(sms), sms.context);
  const mail = MailEvent.safeParse(content).data;
  if (!mail) return { kind: 'other', event: 'unknown' };
  const tags = Object.fromEntries(Object.entries(mail.mail.tags).map(([name, [value]]) => [name, value]));
  return undeliverable(mail.eventType, mailReason(mail), tags);
};

/**
 * A messaging service event as SNS puts it into the queue.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export const ServiceEvent = z.object({ Message: z.string() }).transform(({ Message }) => eventIn(Message));
