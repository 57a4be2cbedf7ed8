import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { quotasSchema } from '#shared/domain/identity/quota.ts';
import { ServiceHealth } from '#shared/domain/service-health-view.ts';
import { Bytes } from '#shared/domain/values.ts';

const ServerConfig = z
  .object({
    version: z.string(),
    serviceName: z.string(),
    passwordResetEnabled: z.enum(['true', 'false']),
    url: z.string().optional(),
    deviceUrl: z.string().optional(),
    limits: z.object({ rateLimit: z.int(), perPageMaximum: z.int(), quotas: quotasSchema() }).optional(),
    locales: z.array(z.string()).optional(),
    manufacturers: z.array(z.string()).optional(),
  })
  .meta({ id: 'ServerConfig' });

/** The JSON Schema names for device messages, each webhook format, and feedback to makers. */
const SchemaName = z
  .enum(['device-messages', ...Format.options.map((format) => `webhook-${format}` as const), 'webhook-feedback'])
  .describe('What devices send by HTTP and MQTT, or what webhooks receive in the given format');

export const server = group({
  name: 'server',
  about: 'The service itself',
  operations: {
    getServerConfig: {
      method: 'GET',
      path: '/server/config',
      summary: 'Get the server configuration',
      description:
        'Only logged-in callers get the optional fields. `url` is the service address, and `deviceUrl` the address ' +
        'for devices, which may be the same; both without `/api/v1`.',
      auth: 'optional',
      success: 200,
      response: ServerConfig,
      uses: ['service:about', 'guard', 'keep:quotas'],
    },
    getQrCode: {
      method: 'GET',
      path: '/server/qr-code',
      summary: "Get this server's QR code",
      description:
        'The mobile app scans this code to add the server. The content is a JSON object with `url`, the service ' +
        'address, and `serviceName`, encoded in Base64 with padding. Returns 503 while the address is unknown.',
      auth: 'anyone',
      success: 200,
      media: ['image/png', 'image/svg+xml'],
      response: Bytes,
      uses: ['service:about'],
    },
    getOpenApi: {
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get the OpenAPI document',
      auth: 'anyone',
      success: 200,
      alsoSuccess: 304,
      published: 'revalidated',
      response: z.record(z.string(), z.unknown()).meta({ examples: [{ openapi: '3.1.0' }] }),
      uses: ['service:about'],
    },
    getSchema: {
      method: 'GET',
      path: '/schemas/{name}',
      summary: 'Get a JSON Schema',
      description:
        'Returns the schema (draft 2020-12) for device messages, or for deliveries in a format, with examples. New ' +
        'optional fields and kinds of messages may be added; any other change gets a new API version, which has a ' +
        'different base path.',
      auth: 'anyone',
      params: z.object({ name: SchemaName }),
      success: 200,
      alsoSuccess: 304,
      published: 'revalidated',
      response: z.record(z.string(), z.unknown()).meta({ examples: [{ title: 'device-messages' }] }),
      errors: ['path_unknown'],
      uses: [],
    },
    getHealth: {
      method: 'GET',
      path: '/health',
      summary: 'Get the service health',
      description:
        'Returns 503 if something that alarms depend on is failing. Details are returned only to system admins, and ' +
        'on premises to callers with `METRICS_TOKEN` or on the same machine.',
      auth: 'optional',
      withoutTable: true,
      success: 200,
      alsoSuccess: 503,
      response: ServiceHealth,
      uses: ['due.lastHeartbeat', 'canary.round', 'host:health'],
    },
  },
});
