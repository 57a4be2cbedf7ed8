import type { awsSms, SendSms } from '../aws/sms.ts';
import type { PersonServices } from '../delivery/targets/person-sender.ts';
import { createTelegram, type SendTelegram } from '../delivery/targets/telegram.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';

/** The host services for SMS and chats, if any, and replacements for services the host lacks. */
export type Messengers = {
  sms?: SendSms;
  telegram?: SendTelegram;
} & Pick<PersonServices, 'smsGateway' | 'pushFile'>;

type MessengerSettings = { SMS_ORIGIN: string; SMS_CONFIGURATION_SET: string; TELEGRAM_TOKEN: string };

/** Returns the messengers for a stage in AWS. The SMS client is loaded with the first SMS. */
export const createMessengers = (
  config: Parameters<typeof awsSms>[0],
  { SMS_ORIGIN, SMS_CONFIGURATION_SET, TELEGRAM_TOKEN }: MessengerSettings,
  webhookClient: () => Promise<WebhookClient>,
): Messengers => {
  let loading: Promise<SendSms> | undefined;
  const load = async () => (await import('../aws/sms.ts')).awsSms(config, SMS_ORIGIN, SMS_CONFIGURATION_SET);
  const sms: SendSms = async (...message) => {
    loading ??= load();
    await (await loading)(...message);
  };
  return {
    ...(SMS_ORIGIN && { sms }),
    ...(TELEGRAM_TOKEN && { telegram: createTelegram(webhookClient, TELEGRAM_TOKEN) }),
  };
};
