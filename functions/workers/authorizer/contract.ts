import * as z from 'zod';
import { called } from '#shared/queue/consumer.ts';

/**
 * The event AWS IoT sends to the custom authorizer when a client connects over MQTT, and every few minutes while it
 * stays connected. The password is base64.
 * https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
 */
export const ConnectEvent = z.object({
  protocolData: z.object({
    mqtt: z.object({ username: z.string().max(1_024).default(''), password: z.string().max(4_096).default('') }),
  }),
  connectionMetadata: z.object({ id: z.string().max(128) }).optional(),
});

/**
 * Lets a device connect with its sensor id and token, and use only its own topics. AWS IoT waits 5 s for the response.
 */
export const authorizer = called({
  name: 'authorizer',
  timeoutSeconds: 5,
  uses: ['deviceTokens.use', 'devices.noteConnection', 'admit:devices'],
});
