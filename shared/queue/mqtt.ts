import * as z from 'zod';
import { millis } from '../domain/values.ts';

/**
 * What a device published: `payload` are its bytes in base64, `principal` is the hash of the token that it connected
 * with, in hex, `receiveDate` is when AWS IoT had it. What AWS IoT could not hand over tells neither.
 */
const Published = z.object({
  sensorId: z.string().min(1).max(128),
  principal: z.string().optional(),
  receiveDate: millis.optional(),
  payload: z.base64(),
});
export type Published = z.output<typeof Published>;

/** As the error action of a rule tells of it. https://docs.aws.amazon.com/iot/latest/developerguide/rule-error-handling.html */
const NotHandedOver = z
  .object({ topic: z.string().regex(/(^|\/)v1\/devices\/[^/]+\/messages$/), base64OriginalPayload: z.base64() })
  .transform(
    ({ topic, base64OriginalPayload: payload }): Published => ({ sensorId: topic.split('/').at(-2) ?? '', payload }),
  );

/** What the rule hands over, at once or by the queue of what failed. */
export const DevicePublished = z.union([Published, NotHandedOver]);
