import { parseJson } from '../../shared/api/json.ts';
import { decode } from '../../shared/domain/decode.ts';
import { timeOrderedId } from '../../shared/domain/ids.ts';
import { messageUuid } from '../../shared/domain/message.ts';
import { MESSAGES, messagesIn } from '../../shared/domain/raw.ts';
import type { Device } from '../../shared/domain/sensor.ts';
import type { Message } from '../../shared/store/events.ts';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

type Refusal = 'json' | 'items' | 'type' | 'too_large';

/** Splits a call of a device into its messages, or says why none of it can be kept. */
export const messagesOf = (text: string): { raw: string[] } | { refusal: Refusal } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { refusal: 'json' };
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > MESSAGES.count) return { refusal: 'items' };
  if (!values.every(isObject)) return { refusal: 'type' };
  const raw = messagesIn(text);
  return raw.some((one) => Buffer.byteLength(one) > MESSAGES.bytes) ? { refusal: 'too_large' } : { raw };
};

/** A message as it is kept, with the UUID that makes a repeat of it the same message. */
export const toMessage = (device: Device, raw: string, at: number, received: number, random: number): Message => {
  const decoded = decode(device.manufacturer, JSON.parse(raw));
  return {
    id: timeOrderedId(received, random),
    uuid: messageUuid(device.sensorId, decoded, raw, [received, at]),
    customerId: device.customerId,
    sensorId: device.sensorId,
    receiveDate: received,
    raw,
  };
};
