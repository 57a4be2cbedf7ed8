import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { deliver } from './contract.ts';

export type DeliverDeps = Deps<(typeof deliver)['uses'][number]>;

/** A number in [0, 1). */
export const chanceOf = ({ random }: DeliverDeps): number => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;

/** The retry schedule of the webhook, or else of the stage. Null stands for the built-in one. */
export const scheduleOf = ({ settings }: DeliverDeps, { retrySchedule }: WebhookRecord): readonly number[] | null =>
  retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);
