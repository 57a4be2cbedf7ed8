import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
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

export const server = group({
  name: 'server',
  about: 'The service itself',
  operations: {
    getServerConfig: {
      method: 'GET',
      path: '/server/config',
      summary: 'Get the server configuration; callers who are logged in get more of it',
      description:
        '`url` is the address of the service, and `deviceUrl` the address for devices, which may be the same one; both ' +
        'are without `/api/v1`.',
      auth: 'optional',
      success: 200,
      response: ServerConfig,
      uses: ['service:about', 'guard', 'keep:quotas'],
    },
    getQrCode: {
      method: 'GET',
      path: '/server/qr-code',
      summary: 'Get a QR code by which the mobile app adds this server',
      description:
        'It encodes the Base64 text (with padding) of a JSON object with `url`, the address of the service, and ' +
        '`serviceName`. The answer is 503 while the address is not known.',
      auth: 'anyone',
      success: 200,
      media: ['image/png', 'image/svg+xml'],
      response: Bytes,
      uses: ['service:about'],
    },
    getOpenApi: {
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get this description',
      auth: 'anyone',
      success: 200,
      alsoSuccess: 304,
      published: 'revalidated',
      response: z.record(z.string(), z.unknown()),
      uses: ['service:about'],
    },
    getHealth: {
      method: 'GET',
      path: '/health',
      summary: 'Does the service work?',
      description:
        'The answer is 503 when something does not work that alarms need. What that is, is only told to system admins ' +
        'and on the machine itself.',
      auth: 'optional',
      withoutTable: true,
      success: 200,
      alsoSuccess: 503,
      response: ServiceHealth,
      uses: ['due.lastBeat', 'canary.round', 'host:health'],
    },
  },
});
