import type { PushSubscription as Subscribed } from '#openapi';
import { basePath } from '../api/client.ts';

const script = new URL(`${basePath}/push-worker.js`, location.origin).href;

type Policies = { createPolicy: (name: string, rules: { createScriptURL: () => string }) => typeof trusted };
type Trusting = { trustedTypes?: Policies };
const trusted = { createScriptURL: (url: string): string => url };
/** The one address of code that the page may name by a text: its Content-Security-Policy allows this policy, and no other. */
const policy = () =>
  (globalThis as Trusting).trustedTypes?.createPolicy('push-worker', { createScriptURL: () => script }) ?? trusted;
let known: typeof trusted | undefined;

/** Can this browser be pushed to? Those of iPhones can where the console was added to the home screen. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

/** Resolves when a worker runs: only then a browser can subscribe. */
const running = async (registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> => {
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

/** Asks the user, and subscribes this browser with the key of the service. Null: the user or the browser does not want it. */
export const subscribe = async (applicationServerKey: string): Promise<Subscribed | null> => {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  known ??= policy();
  const registration = await running(await navigator.serviceWorker.register(known.createScriptURL(script)));
  // One for another key, such as that of a service that was set up anew, stands in the way.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  return toSubscribed(await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
};
