// The console service worker. It shows push notifications, even while no console page is open, and does not store
// anything.

/** A push payload (shared/delivery/targets/person-sender.ts). */
type PushPayload = {
  title: string;
  text: string;
  url: string | null;
  listUrl?: string;
  language: string;
  tag?: string;
};
type ExtendableEvent = { waitUntil: (work: Promise<unknown>) => void };
type PushEvent = ExtendableEvent & { data: { json: () => PushPayload } | null };
type ClickEvent = ExtendableEvent & { notification: Notification; action: string };
// TypeScript has types for page globals here, not for worker globals.
type Scope = {
  registration: ServiceWorkerRegistration;
  clients: { openWindow: (url: string) => Promise<unknown> };
  skipWaiting: () => Promise<void>;
  addEventListener: {
    (type: 'install', listener: (event: ExtendableEvent) => void): void;
    (type: 'push', listener: (event: PushEvent) => void): void;
    (type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  };
};
const worker = globalThis as unknown as Scope;

/** The action of the acknowledge button. Notifications already on screen use this id, so it must not change. */
const ACKNOWLEDGE = 'go';
const texts = {
  en: {
    acknowledge: "I'm on it",
    acknowledged: (name: string) => `${name} is on it.`,
    failed: 'Not acknowledged: please try again, or open the alarm.',
  },
  de: {
    acknowledge: 'Ich gehe hin',
    acknowledged: (name: string) => `${name} geht hin.`,
    failed: 'Nicht übernommen: Bitte erneut versuchen oder den Alarm öffnen.',
  },
};
const textsIn = (language: string) => (language === 'de' ? texts.de : texts.en);

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

/**
 * Shows a notification until someone has seen it, because it may be about a fall. A notification with the same tag is
 * from an earlier round of the same alarm. It is replaced, and the device alerts again.
 */
const alert = ({ title, text, url, listUrl, language, tag }: PushPayload): Promise<void> => {
  const options = {
    body: text,
    lang: language,
    data: url ?? listUrl,
    requireInteraction: true,
    vibrate: [400, 200, 400],
    actions: url === null ? [] : [{ action: ACKNOWLEDGE, title: textsIn(language).acknowledge }],
    ...(tag !== undefined && { tag, renotify: true }),
  };
  return worker.registration.showNotification(title, options);
};

worker.addEventListener('push', (event) => {
  const payload = event.data?.json();
  if (payload) event.waitUntil(alert(payload));
});

/** Acknowledges an alarm at its URL, and shows who is on it. If that fails, the alarm is shown again. */
const acknowledge = async ({ title, lang, tag, data: url }: Notification): Promise<void> => {
  const answer = await fetch(url, {
    method: 'POST',
    // The URL is the credential. A session in this browser must not be used, and must not be ended.
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!answer?.ok) {
    await alert({ title, text: textsIn(lang).failed, url, language: lang, ...(tag !== '' && { tag }) });
    return;
  }
  const { name }: { name: string } = await answer.json();
  await worker.registration.showNotification(title, { body: textsIn(lang).acknowledged(name), lang, tag });
};

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { data } = notification;
  const isAcknowledged = action === ACKNOWLEDGE && data;
  event.waitUntil(
    isAcknowledged ? acknowledge(notification) : worker.clients.openWindow(data ?? worker.registration.scope),
  );
});

export {};
