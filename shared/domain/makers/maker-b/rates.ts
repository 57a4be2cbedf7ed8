import { readFields } from '../message-fields.ts';
import { messagesOfMakerB } from './messages.ts';

const { data: RateFields } = messagesOfMakerB.vital.fields.shape;

/** Rates per minute measured by a device. A rate is null if nothing was measured. */
export type MeasuredRates = { respiration?: number | null; heartRate?: number | null };

/** Returns the rates in a maker B message. Null if there are none. */
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
