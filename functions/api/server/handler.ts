import { preferred } from '#shared/api/http/accept.ts';
import { isOnThisMachine } from '#shared/api/http/address.ts';
import { header } from '#shared/api/http/exchange.ts';
import { PER_PAGE_MAXIMUM } from '#shared/api/http/paging.ts';
import { publish } from '#shared/api/http/publication.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { languages } from '#shared/domain/identity/locale.ts';
import { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { judgeHealth } from '#shared/domain/service-health.ts';
import { server } from './contract.ts';

/** How long (ms) the table may take to answer. */
const TABLE_MS = 2_000;

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
    const type = preferred(header(event, 'accept'), ['image/png', 'image/svg+xml']);
    // This module is needed only by this operation, so it is loaded here.
    const { qrCode } = await import('./qr-code.ts');
    return new Reply(await qrCode({ url, serviceName }, type), { headers: { 'Content-Type': type } });
  },

  getOpenApi: async ({ event }, { settings }) => {
    // This module is needed only by this operation, so it is loaded here.
    const { documentOf } = await import('./document.ts');
    return publish(event, documentOf(settings));
  },

  getHealth: async ({ caller, event }, { store, hostHealth, settings, now, pause, log }) => {
    const canary = async () => (settings.CANARY ? ((await store.canary.round())?.lastBack ?? null) : null);
    const asked = Promise.all([store.due.lastBeat(), canary()]).catch((error: unknown) =>
      log('warn', 'the table does not answer', {}, error),
    );
    const [answered, host] = await Promise.all([Promise.race([asked, pause(TABLE_MS)]), hostHealth()]);
    const [sweep, lastBack] = answered ?? [null, null];
    const health = judgeHealth(answered ? 'OK' : 'FAILING', { sweep, canary: lastBack }, host, now());
    const isTold = caller?.isAdmin === true || isOnThisMachine(event, settings);
    const answer = health.status === 'OK' ? {} : ({ status: 503, headers: { 'Retry-After': '5' } } as const);
    return new Reply(isTold ? health : { status: health.status }, answer);
  },
});
