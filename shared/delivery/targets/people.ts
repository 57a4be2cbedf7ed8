import type { Language } from '#shared/domain/identity/locale.ts';
import { type Channel, type ChannelKind, channelKinds } from '#shared/domain/people/channel.ts';
import type { WebhookClient } from '../webhook-client.ts';
import type { Letter, People, PersonOutcome } from './person.ts';
import type { Telegram } from './telegram.ts';

/** What a host provides for reaching people. What is missing, this stage has no service for. */
export type Services = {
  settings: { MAIL_SENDER: string; PUBLIC_URL: string };
  mail: (to: string, subject: string, text: string) => Promise<void>;
  sms?: ((to: string, text: string) => Promise<void>) | undefined;
  telegram?: Telegram | undefined;
  webhookClient: () => Promise<Pick<WebhookClient, 'post'>>;
  openPushKey: (sealed: string) => Promise<string>;
};

const takingCare: Record<Language, string> = { en: 'I take care of it:', de: 'Ich kümmere mich darum:' };

/** The most of one message: characters of an SMS and of a Telegram message, and bytes of a push before it is encrypted. */
const LONGEST = { sms: 1_600, telegram: 4_096, push: 3_000 } as const;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Cuts a text to so many characters as services count them (UTF-16), never within a character. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
};

const linkOf = ({ url, language }: Letter): string => (url === null ? '' : `\n\n${takingCare[language]}\n${url}`);

/** A letter as a mail: its subject on one line, and its text. */
const asMail = (letter: Letter) => ({ subject: oneLine(letter.title), text: letter.text + linkOf(letter) });

/** A letter as one message. What is too long is cut before the address, which stays whole. */
const asMessage = (letter: Letter, most: number): string => {
  const link = linkOf(letter);
  return cut([letter.title, letter.text].filter((part) => part !== '').join('\n'), most - link.length) + link;
};

/** A letter as the console's service worker reads it (lib/console/push/worker.ts). */
const asPush = (letter: Letter): string => {
  const body = (text: string) => JSON.stringify({ ...letter, title: cut(letter.title, 200), text });
  let { text } = letter;
  while (Buffer.byteLength(body(text)) > LONGEST.push && text.length > 1) text = cut(text, Math.ceil(text.length / 2));
  return body(text);
};

type Refusal = { name?: string; Reason?: string };
/**
 * What SES and AWS End User Messaging say where an address is none, or wants nothing.
 * https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html
 */
const isOfAddress = ({ name = '', Reason = '' }: Refusal): boolean =>
  name === 'BadRequestException' ||
  (name === 'ValidationException' &&
    ['CANNOT_PARSE', 'INVALID_PARAMETER', 'FIELD_VALIDATION_FAILED'].includes(Reason)) ||
  (name === 'ConflictException' && Reason === 'DESTINATION_PHONE_NUMBER_OPTED_OUT');

const outcomeOf = async (sent: Promise<void>): Promise<PersonOutcome> => {
  try {
    await sent;
    return 'accepted';
  } catch (error) {
    const refusal = (error ?? {}) as Refusal;
    return isOfAddress(refusal) ? 'gone' : { retry: refusal.Reason ?? refusal.name ?? 'Error' };
  }
};

/** The address of who signs pushes; services of browsers take https and mailto alone. */
const subjectOf = ({ MAIL_SENDER, PUBLIC_URL }: Services['settings']): string => {
  if (PUBLIC_URL.startsWith('https:')) return PUBLIC_URL;
  return MAIL_SENDER.includes('@') ? `mailto:${MAIL_SENDER}` : 'mailto:nobody@localhost';
};

const push = async (services: Services, channel: Channel & { by: 'push' }, letter: Letter): Promise<PersonOutcome> => {
  const { publicKey, sealed } = channel.key;
  const privateKey = await services.openPushKey(sealed);
  const signer = { publicKey, privateKey, subject: subjectOf(services.settings) };
  // Most functions that reach people push nothing.
  const { pushTo } = await import('./push.ts');
  return pushTo(await services.webhookClient(), channel.subscription, asPush(letter), signer);
};

const send = async (services: Services, channel: Channel, letter: Letter): Promise<PersonOutcome> => {
  const { mail, sms, telegram } = services;
  if (channel.by === 'push') return push(services, channel, letter);
  if (channel.by === 'email') {
    const { subject, text } = asMail(letter);
    return outcomeOf(mail(channel.address, subject, text));
  }
  const message = asMessage(letter, LONGEST[channel.by]);
  if (channel.by === 'sms' && sms) return outcomeOf(sms(channel.address, message));
  if (channel.by === 'telegram' && telegram) return telegram(channel.address, message);
  return { retry: 'unavailable' };
};

const isThere = ({ settings, sms, telegram }: Services, kind: ChannelKind): boolean =>
  kind === 'push' || Boolean({ email: settings.MAIL_SENDER, sms, telegram }[kind]);

/** Reaches people by what the host provides (completion 12). */
export const peopleBy = (services: Services): People => {
  const kinds = channelKinds.filter((kind) => isThere(services, kind));
  return {
    kinds,
    send: async (channel, letter) =>
      kinds.includes(channel.by) ? send(services, channel, letter) : { retry: 'unavailable' },
  };
};
