import { BASE_PATH } from '#shared/domain/base-path.ts';
import { canaryUrl } from '#shared/domain/canary.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { canaryMail } from '#shared/domain/people/canary-mail.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { canaryRound } from './contract.ts';
import { type CanaryDeps, createCanaryHome, enableWebhook, TOKEN_CONTEXT } from './home.ts';

/** How long (ms) to wait for a response from the device API or the heartbeat URL. */
const CALL_MS = 10_000;
/** How long (ms) a fall delivery may take to arrive, and how often (ms) to check for it. */
const WAIT_MS = 30_000;
const POLL_MS = 250;

type Report = { status: 'calling' | 'finished'; start: number; uuid: string };
/** Sends a fall report over HTTP to the device API, like a device. */
const send = async (url: string, token: string, { status, start, uuid }: Report): Promise<void> => {
  const payload = {
    status,
    timestamp: start,
    statusUpdateTimestamp: status === 'calling' ? start : start + 1,
    isSimulated: false,
    isLearning: false,
    isSilent: false,
  };
  const { ok, status: responseStatus } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ type: 5, uuid, payload }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  if (!ok) throw new Error(`the device API responded ${responseStatus}`);
};

/** Waits until the webhook is called for the fall, and returns when (ms) that happened. Null after a timeout. */
const waitForCall = async ({ store, pause, now }: CanaryDeps, uuid: string): Promise<number | null> => {
  const until = now() + WAIT_MS;
  while (now() < until) {
    const round = await store.canary.round();
    if (round?.uuid === uuid && round.back !== undefined) return round.back;
    await pause(POLL_MS);
  }
  return null;
};

/**
 * Calls an external service to report that falls are being delivered. That service raises an alarm when the calls stop.
 */
const sendHeartbeat = async ({ settings, log }: CanaryDeps): Promise<void> => {
  if (settings.HEARTBEAT_URL === '') return;
  await fetch(settings.HEARTBEAT_URL, { signal: AbortSignal.timeout(CALL_MS) })
    .then((response) => response.body?.cancel())
    .catch((error: unknown) => log('warn', 'the heartbeat URL could not be called', {}, error));
};

const DAY_MS = 86_400_000;
/** Emails the operator once a day. Failed emails are counted, and fire an alarm. */
const mailOperator = async ({ store, settings, mail, now }: CanaryDeps, mailed: number): Promise<void> => {
  const { OPERATOR_EMAIL, SERVICE_NAME: service, PUBLIC_URL: url } = settings;
  const isMailed = now() - mailed < DAY_MS && !isFuture(mailed, now());
  if (OPERATOR_EMAIL === '' || isMailed) return;
  const { subject, text } = canaryMail({ service, url });
  await mail(OPERATOR_EMAIL, subject, text);
  await store.canary.recordMail(now());
};

/** Runs a round: sends a fall, waits until it is delivered, and ends it. */
export const runRound = async (deps: CanaryDeps): Promise<void> => {
  const { store, settings, decryptSecret, random, now, log, measure } = deps;
  const { PUBLIC_URL, DEVICE_URL } = settings;
  const webhookUrl = canaryUrl(PUBLIC_URL);
  const existing = await store.canary.setup();
  const home = existing?.url === webhookUrl ? existing : await createCanaryHome(deps, webhookUrl);
  const url = `${DEVICE_URL || PUBLIC_URL}${BASE_PATH}/devices/${home.sensorId}/messages`;
  const token = await decryptSecret(home.deviceToken, TOKEN_CONTEXT);
  const uuid = randomUuid(random);
  const start = now();
  const previous = await store.canary.startRound(uuid, start);
  // If the last fall did not arrive, the webhook may have been disabled, as happens to any webhook that fails for days.
  if (previous && previous.back === undefined) await enableWebhook(deps, home);
  await send(url, token, { status: 'calling', start, uuid });
  const accepted = now();
  const deliveredAt = await waitForCall(deps, uuid);
  if (deliveredAt === null) log('error', 'the fall of the canary was not delivered in time', { uuid });
  else {
    measure('CanaryTime', Math.max(0, deliveredAt - accepted));
    log('info', 'the fall of the canary was delivered', { uuid, ms: deliveredAt - accepted });
    await sendHeartbeat(deps);
  }
  await send(url, token, { status: 'finished', start, uuid: randomUuid(random) });
  await mailOperator(deps, previous?.mailed ?? 0);
};

export const handler = onSchedule(canaryRound, () => runRound);
