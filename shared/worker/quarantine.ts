import type { SQSRecord } from 'aws-lambda';
import type { Runtime } from '../runtime/deps.ts';

/**
 * Quarantines a message that retries cannot save. An operator can then see what went wrong, and return the message
 * after a fix.
 */
export const quarantine = async (
  { queues }: Pick<Runtime, 'queues'>,
  { messageId, body, eventSourceARN }: Pick<SQSRecord, 'messageId' | 'body' | 'eventSourceARN'>,
  reason: string,
): Promise<void> => {
  const note = JSON.stringify({ queue: eventSourceARN.split(':').at(-1), messageId, reason, body });
  await queues.send('quarantine', [{ body: note, groupId: messageId, delaySeconds: 0 }]);
};

/**
 * Quarantines a message. Returns false if the quarantine is unavailable, in which case the message is retried later.
 */
export const tryQuarantine = async (
  { queues, log }: Pick<Runtime, 'queues' | 'log'>,
  record: SQSRecord,
  reason: string,
): Promise<boolean> => {
  try {
    log('error', 'a message was quarantined', { messageId: record.messageId, reason });
    await quarantine({ queues }, record, reason.slice(0, 1_000));
    return true;
  } catch (error) {
    log('error', 'the quarantine is unavailable', {}, error);
    return false;
  }
};
