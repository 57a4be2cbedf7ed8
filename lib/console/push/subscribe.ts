import type { PushSubscription as Subscribed } from '#openapi';
import { basePath } from '../api/client.ts';

const script = new URL(`${basePath}/push-worker.js`, location.origin).href;

type Policies = { createPolicy: (name: string, rules: { createScriptURL: () => string }) => typeof trusted };
type WithTrustedTypes = { trustedTypes?: Policies };
const trusted = { createScriptURL: (url: string): string => url };
/**
 * The Trusted Types policy for the worker URL. The Content-Security-Policy of the page does not allow any other policy.
 */
const policy = () =>
  (globalThis as WithTrustedTypes).trustedTypes?.createPolicy('push-worker', { createScriptURL: () => script }) ??
  trusted;
let cachedPolicy: typeof trusted | undefined;

/** Whether this browser supports push. iPhones support it only once the console is on the home screen. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

/** Resolves when the worker is active, because a browser can subscribe only then. */
const activated = async (registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> => {
  const starting = registration.installing ?? registration.waiting;
  if (registration.active || !starting) return registration;
  await new Promise<void>((resolve) => {
    starting.addEventListener('statechange', () => {
      if (['activated', 'redundant'].includes(starting.state)) resolve();
    });
  });
  return registration;
};

const toSubscribed = (subscription: PushSubscription): Subscribed => {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } };
};

/** Asks the user for permission and subscribes this browser with the given key. Null if permission is denied. */
export const subscribe = async (applicationServerKey: string): Promise<Subscribed | null> => {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  cachedPolicy ??= policy();
  const registration = await activated(await navigator.serviceWorker.register(cachedPolicy.createScriptURL(script)));
  // If a subscription for another key exists (for example, after the service was set up again), subscribe would fail.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  return toSubscribed(await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
};
