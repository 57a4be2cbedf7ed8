import * as z from 'zod';
import { millis } from '../domain/values.ts';

/**
 * A message that a device published over MQTT. `payload` has its bytes in base64, `principal` the SHA-256 hash in hex
 * of the token that the device connected with, and `receiveDate` when (ms) AWS IoT received it. The latter two are
 * missing if the rule of AWS IoT failed to hand the message over. `isCurrent`: the message is not the last will of a
 * connection that a newer connection has replaced. AWS IoT publishes such wills without marking them. `isPostponed`:
 * the message might be such a will, so it was postponed until the device could reconnect.
 */
const Published = z.object({
  sensorId: z.string().min(1).max(128),
  principal: z.string().optional(),
  receiveDate: millis.optional(),
  isCurrent: z.literal(true).optional(),
  isPostponed: z.literal(true).optional(),
  payload: z.base64(),
});
export type Published = z.output<typeof Published>;

/**
 * The same message as the error action of a rule reports it.
 * https://docs.aws.amazon.com/iot/latest/developerguide/rule-error-handling.html
 */
const NotHandedOver = z
  .object({ topic: z.string().regex(/(^|\/)v1\/devices\/[^/]+\/messages$/), base64OriginalPayload: z.base64() })
  .transform(
    ({ topic, base64OriginalPayload: payload }): Published => ({ sensorId: topic.split('/').at(-2) ?? '', payload }),
  );

/** A published message as the rule hands it over, either directly or through the queue of its error action. */
export const DevicePublished = z.union([Published, NotHandedOver]);
