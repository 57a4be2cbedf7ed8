import { preferredMediaType } from '#shared/api/http/accept.ts';
import { mayReadDetails } from '#shared/api/http/address.ts';
import { header } from '#shared/api/http/exchange.ts';
import { PER_PAGE_MAXIMUM } from '#shared/api/http/paging.ts';
import { publish } from '#shared/api/http/publication.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { languages } from '#shared/domain/identity/language.ts';
import { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { judgeHealth } from '#shared/domain/service-health.ts';
import { server } from './contract.ts';

/** The time limit (ms) for reading the table. */
const TABLE_TIMEOUT_MS = 2_000;

export const handler = serve(server, {
  getServerConfig: async ({ caller }, { settings, quotas }) => {
    const {
      SERVICE_VERSION: version,
      SERVICE_NAME: serviceName,
      MAIL_SENDER,
      PUBLIC_URL: url,
      DEVICE_URL,
      RATE_LIMIT_PER_SECOND,
    } = settings;
    return {
      version,
      serviceName,
      passwordResetEnabled: MAIL_SENDER === '' ? 'false' : 'true',
      ...(caller && {
        url,
        deviceUrl: DEVICE_URL || url,
        limits: { rateLimit: RATE_LIMIT_PER_SECOND, perPageMaximum: PER_PAGE_MAXIMUM, quotas },
        locales: [...languages],
        manufacturers: Manufacturer.options,
      }),
    };
  },

  getQrCode: async ({ event, fail }, { settings: { PUBLIC_URL: url, SERVICE_NAME: serviceName } }) => {
    if (url === '') return fail('unavailable', { waitSeconds: 60 });
    const type = preferredMediaType(header(event, 'accept'), ['image/png', 'image/svg+xml']);
    // Loaded here, because only this operation needs it.
    const { qrCode } = await import('./qr-code.ts');
    return new Reply(await qrCode({ url, serviceName }, type), { headers: { 'Content-Type': type } });
  },

  getOpenApi: async ({ event }, { settings }) => {
    // Loaded here, because only this operation needs it.
    const { documentOf } = await import('./document.ts');
    return publish(event, documentOf(settings));
  },

  getSchema: async ({ event, params }) => {
    // Loaded here, because only this operation and the document need it.
    const { schemaOf } = await import('./document.ts');
    return publish(event, schemaOf(params.name));
  },

  getHealth: async ({ caller, event }, { store, hostHealth, settings, now, pause, log }) => {
    const canary = async () => (settings.CANARY ? ((await store.canary.round())?.lastBack ?? null) : null);
    const reading = Promise.all([store.due.lastHeartbeat(), canary()]).catch((error: unknown) =>
      log('warn', 'failed to read the table', {}, error),
    );
    const [results, host] = await Promise.all([Promise.race([reading, pause(TABLE_TIMEOUT_MS)]), hostHealth()]);
    const [sweep, lastBack] = results ?? [null, null];
    const health = judgeHealth(results ? 'OK' : 'FAILING', { sweep, canary: lastBack }, host, now());
    const more = health.status === 'OK' ? {} : ({ status: 503, headers: { 'Retry-After': '5' } } as const);
    return new Reply(caller?.isAdmin || mayReadDetails(event, settings) ? health : { status: health.status }, more);
  },
});
