import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type MeasuredRates, ratesIn } from '#shared/domain/makers/maker-b/rates.ts';

/** A sensor's newest rates per minute. Null if not measured recently. */
export type Rates = { respiration: number | null; heartRate: number | null };
export const noRates: Rates = { respiration: null, heartRate: null };

/** How long (ms) a rate is shown after it was measured. */
const SHOWN_MS = 300_000;

/** Matches every message that contains a rate. */
const MARK = /"(respirationRate|heartRate)"/;

/** Returns the rates in a request's messages, newest last. Rejected messages contribute none. */
const ratesInCall = (text: string): MeasuredRates[] => {
  if (!MARK.test(text)) return [];
  try {
    return [JSON.parse(text)].flat().flatMap((message) => ratesIn(message) ?? []);
  } catch {
    return [];
  }
};

type Call = { sensorId: string; text: string };

/** Returns the messages accepted by a function from a device, over HTTP or MQTT. Null for any other call. */
export const acceptedCall = (functionName: string, event: unknown, result: unknown): Call | null => {
  if (functionName === 'devices') {
    const { resource, pathParameters, body, isBase64Encoded } = event as APIGatewayProxyEvent;
    const { statusCode } = result as APIGatewayProxyResult;
    if (statusCode !== 202 || !resource.endsWith('/messages') || !body) return null;
    const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('utf8');
    return { sensorId: pathParameters?.sensorId ?? '', text };
  }
  const { sensorId, payload } = event as { sensorId?: string; payload?: string };
  if (functionName !== 'ingest' || sensorId === undefined || payload === undefined) return null;
  return { sensorId, text: Buffer.from(payload, 'base64').toString('utf8') };
};

/**
 * Remembers rates measured by sensors. They are not part of a sensor's state, because storing each rate would cost a
 * write.
 */
export const createRates = (now: () => number) => {
  const measured = new Map<string, Rates & { at: number }>();
  return {
    /** Reads an accepted call. Returns whether it contains rates. */
    read: ({ sensorId, text }: Call): boolean => {
      const found = ratesInCall(text);
      if (found.length === 0) return false;
      measured.set(sensorId, Object.assign({ ...(measured.get(sensorId) ?? noRates) }, ...found, { at: now() }));
      return true;
    },
    of: (sensorId: string): Rates => {
      const { at, ...rates } = measured.get(sensorId) ?? { ...noRates, at: 0 };
      if (now() - at < SHOWN_MS) return rates;
      measured.delete(sensorId);
      return noRates;
    },
  };
};
export type RatesOfSensors = ReturnType<typeof createRates>;
