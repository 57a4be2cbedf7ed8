import type { Sms, smsByAws } from '../aws/sms.ts';
import { type Telegram, telegramAs } from '../delivery/targets/telegram.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';

/** The services for SMS and chats of a stage, as far as it has them. */
export type Messengers = { sms?: Sms; telegram?: Telegram };

type MessengerSettings = { SMS_ORIGIN: string; TELEGRAM_TOKEN: string };

/** Returns the messengers of a stage in AWS. The first SMS loads its client. */
export const messengersOf = (
  config: Parameters<typeof smsByAws>[0],
  { SMS_ORIGIN, TELEGRAM_TOKEN }: MessengerSettings,
  webhookClient: () => Promise<WebhookClient>,
): Messengers => {
  let loading: Promise<Sms> | undefined;
  const load = async () => (await import('../aws/sms.ts')).smsByAws(config, SMS_ORIGIN);
  const sms: Sms = async (...message) => {
    loading ??= load();
    await (await loading)(...message);
  };
  return {
    ...(SMS_ORIGIN && { sms }),
    ...(TELEGRAM_TOKEN && { telegram: telegramAs(webhookClient, TELEGRAM_TOKEN) }),
  };
};
