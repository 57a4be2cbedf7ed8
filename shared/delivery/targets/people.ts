import { type Channel, type ChannelKind, channelKinds } from '#shared/domain/people/channel.ts';
import type { WebhookClient } from '../webhook-client.ts';
import { asMail, asMessage, asPush, LONGEST } from './people-texts.ts';
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
const subjectOf = ({ MAIL_SENDER, PUBLIC_URL }: Services['settings']): string =>
  PUBLIC_URL.startsWith('https:')
    ? PUBLIC_URL
    : `mailto:${MAIL_SENDER.includes('@') ? MAIL_SENDER : 'nobody@localhost'}`;

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
