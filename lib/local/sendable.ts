import { type SendableKinds, sendableKinds } from '#shared/domain/people/sendable.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { CloudOptions } from './cloud-options.ts';

type Services = Pick<CloudOptions, 'smtp' | 'sms' | 'hasOutbox'>;

/** Returns what this host can send. */
export const sendableHere = (
  { TELEGRAM_TOKEN }: Pick<Settings, 'TELEGRAM_TOKEN'>,
  { smtp, sms, hasOutbox = false }: Services,
): SendableKinds =>
  sendableKinds(
    { email: smtp !== undefined, sms: sms !== undefined, push: true, telegram: TELEGRAM_TOKEN !== '' },
    { hasOutbox },
  );
