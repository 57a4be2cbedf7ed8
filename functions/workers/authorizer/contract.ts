import * as z from 'zod';
import { called } from '#shared/queue/consumer.ts';

/**
 * The event with which AWS IoT asks its custom authorizer about a connection by MQTT. The password is in base64.
 * https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
 */
export const Connecting = z.object({
  protocolData: z.object({
    mqtt: z.object({ username: z.string().max(1_024).default(''), password: z.string().max(4_096).default('') }),
  }),
});

/** Lets a device connect by its sensor id and its token, to its own topics alone. AWS IoT waits 5 s for the answer. */
export const authorizer = called({
  name: 'authorizer',
  timeoutSeconds: 5,
  uses: ['devices.get', 'admit:devices'],
});
