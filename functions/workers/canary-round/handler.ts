import { BASE_PATH } from '#shared/domain/base-path.ts';
import { canaryUrl } from '#shared/domain/canary.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { canaryRound } from './contract.ts';
import { type CanaryDeps, CONTEXT, furnish } from './home.ts';

/** How long (ms) the device waits for an answer, and a call of the address outside takes. */
const CALL_MS = 10_000;
/** How long (ms) a fall may take to come back, and how often that is looked at. */
const WAIT_MS = 30_000;
const LOOK_MS = 250;

type Report = { status: 'calling' | 'finished'; start: number; uuid: string };
/** Sends a report of a fall as a device does, over HTTP through the API of the devices. */
const send = async (url: string, token: string, { status, start, uuid }: Report): Promise<void> => {
  const payload = {
    status,
    timestamp: start,
    statusUpdateTimestamp: status === 'calling' ? start : start + 1,
    isSimulated: false,
    isLearning: false,
    isSilent: false,
  };
  const { ok, status: answered } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ type: 5, uuid, payload }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  if (!ok) throw new Error(`the device API answered ${answered}`);
};

/** Waits until the fall came back. Null when it did not in time. */
const backOf = async ({ store, pause, now }: CanaryDeps, uuid: string): Promise<number | null> => {
  const until = now() + WAIT_MS;
  while (now() < until) {
    const round = await store.canary.round();
    if (round?.uuid === uuid && round.back !== undefined) return round.back;
    await pause(LOOK_MS);
  }
  return null;
};

/** Tells an address outside that falls are told: it raises an alarm of its own when it hears nothing. */
const tellOutside = async ({ settings, log }: CanaryDeps): Promise<void> => {
  if (settings.HEARTBEAT_URL === '') return;
  await fetch(settings.HEARTBEAT_URL, { signal: AbortSignal.timeout(CALL_MS) })
    .then((answer) => answer.body?.cancel())
    .catch((error: unknown) => log('warn', 'the address outside was not told', {}, error));
};

const fallOnce = async (deps: CanaryDeps): Promise<void> => {
  const { store, settings, openSecret, random, now, log, measure } = deps;
  const { PUBLIC_URL, DEVICE_URL } = settings;
  const back = canaryUrl(PUBLIC_URL);
  const known = await store.canary.home();
  const home = known?.url === back ? known : await furnish(deps, back);
  const url = `${DEVICE_URL || PUBLIC_URL}${BASE_PATH}/devices/${home.sensorId}/messages`;
  const token = await openSecret(home.deviceToken, CONTEXT);
  const uuid = randomUuid(random);
  const start = now();
  await store.canary.begin(uuid, start);
  await send(url, token, { status: 'calling', start, uuid });
  const accepted = now();
  const backAt = await backOf(deps, uuid);
  if (backAt === null) log('error', 'the fall of the canary did not come back', { uuid });
  else {
    measure('CanaryTime', Math.max(0, backAt - accepted));
    log('info', 'the fall of the canary came back', { uuid, ms: backAt - accepted });
    await tellOutside(deps);
  }
  await send(url, token, { status: 'finished', start, uuid: randomUuid(random) });
};

export const handler = onSchedule(canaryRound, () => fallOnce);
