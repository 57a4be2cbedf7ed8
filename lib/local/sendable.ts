import { pushContact } from '#shared/delivery/targets/push-contact.ts';
import { type SendableKinds, sendableKinds } from '#shared/domain/people/sendable.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { CloudOptions } from './cloud-options.ts';

type Services = Pick<CloudOptions, 'smtp' | 'sms' | 'hasOutbox'>;

/** Returns what this host can send. */
export const sendableHere = (
  settings: Pick<Settings, 'TELEGRAM_TOKEN' | 'PUSH_CONTACT' | 'MAIL_SENDER' | 'PUBLIC_URL'>,
  { smtp, sms, hasOutbox = false }: Services,
): SendableKinds =>
  sendableKinds(
    {
      email: smtp !== undefined,
      sms: sms !== undefined,
      push: pushContact(settings) !== null,
      telegram: settings.TELEGRAM_TOKEN !== '',
    },
    { hasOutbox },
  );
