import type { NotificationReference } from '#shared/domain/delivery/notification-reference.ts';
import type { Language } from '#shared/domain/identity/language.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import type { SendableKinds } from '#shared/domain/people/sendable.ts';
import { smsText } from '#shared/domain/people/sms-text.ts';
import type { WebhookClient } from '../webhook-client.ts';
import { MailFailure } from './mail-failure.ts';
import type { Notification, PersonOutcome, SendToPerson } from './person.ts';
import { pushContact } from './push-contact.ts';
import { type ChatPauses, type SendTelegram, withPauses } from './telegram.ts';

/** What a host provides for notifying people. Optional parts are missing if the stage has no such service. */
export type PersonServices = {
  settings: { MAIL_SENDER: string; PUBLIC_URL: string; PUSH_CONTACT: string } & Pick<SendableKinds, 'CHANNEL_KINDS'>;
  mail: (to: string, subject: string, text: string, reference?: NotificationReference) => Promise<void>;
  sms?: ((to: string, text: string, reference?: NotificationReference) => Promise<void>) | undefined;
  /** Sends SMS in place of `sms`. Never rejects. */
  smsGateway?: ((to: string, text: string) => Promise<PersonOutcome>) | undefined;
  telegram?: SendTelegram | undefined;
  /** Writes push messages to files instead of sending them. `to` is the host of the push service. */
  pushFile?: ((to: string, text: string) => Promise<void>) | undefined;
  webhookClient: () => Promise<Pick<WebhookClient, 'post'>>;
  openPushKey: (encrypted: string) => Promise<string>;
  now: () => number;
  chatPauses?: ChatPauses;
};

const acknowledgeLabels: Record<Language, string> = { en: "I'm on it:", de: 'Ich gehe hin:' };
const listLabels: Record<Language, string> = { en: 'All sensors:', de: 'Alle Sensoren:' };

/** The maximum message lengths: characters in a Telegram message, and bytes in a push message before encryption. */
const MAX_LENGTH = { telegram: 4_096, push: 3_000 } as const;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Truncates a string to a number of UTF-16 units, which is how messaging services count characters, but never within a
 * character.
 */
const truncate = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
};

/** Returns the link in a notification, which either acknowledges the alarm or leads to the sensor list. */
const linkOf = ({ url, listUrl, language }: Notification): { label: string; url: string } | null => {
  if (url !== null) return { label: acknowledgeLabels[language], url };
  return listUrl === undefined ? null : { label: listLabels[language], url: listUrl };
};

const linkText = (notification: Notification): string => {
  const link = linkOf(notification);
  return link ? `\n\n${link.label}\n${link.url}` : '';
};

/** Returns a notification as an email, with a one-line subject and the text. */
const asMail = (notification: Notification) => ({
  subject: oneLine(notification.title),
  text: notification.text + linkText(notification),
});

/** Returns a notification as a single message. The text is truncated if necessary, but the link never is. */
const asMessage = (notification: Notification, maxLength: number): string => {
  const link = linkText(notification);
  return (
    truncate(
      [notification.title, notification.text].filter((part) => part !== '').join('\n'),
      maxLength - link.length,
    ) + link
  );
};

const asSms = (notification: Notification): string => smsText({ ...notification, link: linkOf(notification) });

/** Returns a notification in the format read by the console service worker (lib/console/push/worker.ts). */
const asPush = (notification: Notification): string => {
  const body = (text: string) => JSON.stringify({ ...notification, title: truncate(notification.title, 200), text });
  let { text } = notification;
  while (Buffer.byteLength(body(text)) > MAX_LENGTH.push && text.length > 1)
    text = truncate(text, Math.ceil(text.length / 2));
  return body(text);
};

type Refusal = { name?: string; Reason?: string };
/**
 * SES and AWS End User Messaging errors for addresses that are invalid or have opted out.
 * https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html
 */
const isAddressProblem = ({ name = '', Reason = '' }: Refusal): boolean =>
  name === 'BadRequestException' ||
  (name === 'ValidationException' &&
    ['CANNOT_PARSE', 'INVALID_PARAMETER', 'FIELD_VALIDATION_FAILED'].includes(Reason)) ||
  (name === 'ConflictException' && Reason === 'DESTINATION_PHONE_NUMBER_OPTED_OUT');

const outcomeOf = async (sent: Promise<void>): Promise<PersonOutcome> => {
  try {
    await sent;
    return 'accepted';
  } catch (error) {
    if (error instanceof MailFailure) {
      const { reason, answer, isFinal } = error;
      return isFinal ? { refused: reason, answer } : { retry: reason, answer, isOfHost: true };
    }
    const refusal = (error ?? {}) as Refusal;
    return isAddressProblem(refusal) ? 'gone' : { retry: refusal.Reason ?? refusal.name ?? 'Error' };
  }
};

const push = async (
  services: PersonServices,
  channel: Channel & { by: 'push' },
  notification: Notification,
): Promise<PersonOutcome> => {
  const { publicKey, sealed } = channel.key;
  const { endpoint } = channel.subscription;
  if (services.pushFile) return outcomeOf(services.pushFile(new URL(endpoint).host, asPush(notification)));
  const privateKey = await services.openPushKey(sealed);
  const subject = pushContact(services.settings);
  if (subject === null) return { retry: 'unavailable' };
  const signer = { publicKey, privateKey, subject };
  // Loaded here because most functions that notify people do not send push messages.
  const { pushTo } = await import('./push.ts');
  const network = { client: await services.webhookClient(), now: services.now };
  return pushTo(network, channel.subscription, asPush(notification), signer);
};

const send = async (
  services: PersonServices,
  channel: Channel,
  notification: Notification,
  reference?: NotificationReference,
): Promise<PersonOutcome> => {
  const { mail, sms, smsGateway, telegram } = services;
  if (channel.by === 'push') return push(services, channel, notification);
  if (channel.by === 'email') {
    const { subject, text } = asMail(notification);
    return outcomeOf(mail(channel.address, subject, text, reference));
  }
  if (channel.by === 'sms' && smsGateway) return smsGateway(channel.address, asSms(notification));
  if (channel.by === 'sms' && sms) return outcomeOf(sms(channel.address, asSms(notification), reference));
  if (channel.by === 'telegram' && telegram)
    return telegram(channel.address, asMessage(notification, MAX_LENGTH.telegram));
  return { retry: 'unavailable' };
};

/** Returns a function that notifies people through the services the host provides (completion 12). */
export const personSenderFor = (host: PersonServices): SendToPerson => {
  const { settings, telegram, chatPauses = new Map(), now } = host;
  const services = { ...host, telegram: telegram && withPauses(telegram, chatPauses, now) };
  return async (channel, notification, reference) =>
    settings.CHANNEL_KINDS.includes(channel.by)
      ? send(services, channel, notification, reference)
      : { retry: 'unavailable' };
};
