import type { Sms, smsByAws } from '../aws/sms.ts';
import { type Telegram, telegramAs } from '../delivery/targets/telegram.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';

/** The services for short messages that a stage has. What is missing, it has not. */
export type Messengers = { sms?: Sms; telegram?: Telegram };

type Stage = { SMS_ORIGIN: string; TELEGRAM_TOKEN: string };

/** Those of a stage in AWS. The client of SMS is loaded by the first one. */
export const messengersOf = (
  config: Parameters<typeof smsByAws>[0],
  { SMS_ORIGIN, TELEGRAM_TOKEN }: Stage,
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
