import { parseJson } from '#shared/api/http/json.ts';
import { uuidInMessage } from '#shared/domain/event/message.ts';
import { countMessages } from '#shared/domain/event/raw.ts';
import type { RejectionNotice } from '#shared/ingest/device-notifier.ts';
import { ingest } from '#shared/ingest/ingest.ts';
import type { Sender, Warning } from '#shared/ingest/messages.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { ingesting } from './contract.ts';

export type IngestDeps = Deps<(typeof ingesting)['uses'][number]>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Returns the text in a base64 payload, or null if it is not UTF-8. */
export const textOf = (payload: string): string | null => {
  try {
    return utf8.decode(Buffer.from(payload, 'base64'));
  } catch {
    return null;
  }
};

/**
 * Returns the UUID a device put in its message. Null if there is none, if several messages were sent, or if the text
 * cannot be read.
 */
const uuidIn = (text: string | null): string | null => {
  const parsed = parseJson(text ?? '');
  if ('problem' in parsed || Array.isArray(parsed.value)) return null;
  return uuidInMessage(parsed.value, (parsed.value as { payload?: unknown } | null)?.payload);
};

/** Reports to the device why a message was rejected. */
export const rejectPublished = async (
  { refuseMessage, log }: Pick<IngestDeps, 'refuseMessage' | 'log'>,
  { sensorId, payload }: Published,
  reason: RejectionNotice['reason'],
): Promise<void> => {
  const uuid = uuidIn(textOf(payload));
  const why = { reason, ...(uuid !== null && { uuid }) };
  log('info', 'a message was rejected', { sensorId, ...why });
  await refuseMessage(sensorId, why);
};

/** Returns the number of messages in a single publication, as counted by quotas. */
export const messageCount = ({ payload }: Published): number =>
  countMessages(Buffer.from(payload, 'base64').toString('latin1'));

/** Returns the report for a device whose messages were accepted but not fully understood. */
const warningReport = (warnings: readonly Warning[], uuid: string | null): RejectionNotice => ({
  reason: 'not_understood',
  ...(uuid !== null && { uuid }),
  warnings,
});

/**
 * Ingests what a device published, dated at arrival, or reports to the device why it was rejected. Throws
 * QueueUnavailable to be called again.
 */
export const ingestPublished = async (deps: IngestDeps, device: Sender, published: Published): Promise<void> => {
  const text = textOf(published.payload);
  const result =
    text === null ? ({ refusal: 'json' } as const) : await ingest(deps, device, text, published.receiveDate);
  if ('refusal' in result) return rejectPublished(deps, published, result.refusal);
  if (result.warnings.length > 0)
    await deps.refuseMessage(published.sensorId, warningReport(result.warnings, uuidIn(text)));
};
