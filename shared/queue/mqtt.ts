import * as z from 'zod';
import { millis } from '../domain/values.ts';

/**
 * A message published by a device over MQTT. `payload` has the bytes in base64, `principal` the SHA-256 hash in hex of
 * the token used to connect, and `receiveDate` when (ms) AWS IoT received it. The latter two are missing if the AWS IoT
 * rule failed to hand the message over. `isCurrent`: the message is not the last will of a connection replaced by a
 * newer one. AWS IoT publishes such wills without marking them. `isPostponed`: the message might be such a will, so it
 * was postponed until the device could reconnect.
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
 * The same message as reported by the error action of a rule.
 * https://docs.aws.amazon.com/iot/latest/developerguide/rule-error-handling.html
 */
const NotHandedOver = z
  .object({ topic: z.string().regex(/(^|\/)v1\/devices\/[^/]+\/messages$/), base64OriginalPayload: z.base64() })
  .transform(
    ({ topic, base64OriginalPayload: payload }): Published => ({ sensorId: topic.split('/').at(-2) ?? '', payload }),
  );

/** A published message as handed over by the rule, either directly or through the queue for the error action. */
export const DevicePublished = z.union([Published, NotHandedOver]);
