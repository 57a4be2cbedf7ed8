import { readFields } from '../message-fields.ts';
import { messagesOfMakerB } from './messages.ts';

const { data: RateFields } = messagesOfMakerB.vital.fields.shape;

/** Rates per minute that a device measured. A rate is null if nothing was measured. */
export type MeasuredRates = { respiration?: number | null; heartRate?: number | null };

/** Returns the rates in a message of maker B. Null if the message has no rates. */
export const ratesIn = (message: unknown): MeasuredRates | null => {
  const { cmd, data } = (message ?? {}) as { cmd?: unknown; data?: unknown };
  if (cmd !== 'stat') return null;
  const { respirationRate, heartRate } = readFields(RateFields, data).found;
  if (respirationRate === undefined && heartRate === undefined) return null;
  return {
    ...(respirationRate !== undefined && { respiration: respirationRate || null }),
    ...(heartRate !== undefined && { heartRate: heartRate || null }),
  };
};
