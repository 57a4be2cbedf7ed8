// The service worker of the console. It shows push notifications, even while no page of the console is open, and stores
// nothing.

/** The payload of a push (shared/delivery/targets/person-sender.ts). */
type PushPayload = { title: string; text: string; url: string | null; listUrl?: string; language: string };
type ExtendableEvent = { waitUntil: (work: Promise<unknown>) => void };
type PushEvent = ExtendableEvent & { data: { json: () => PushPayload } | null };
type ClickEvent = ExtendableEvent & { notification: Notification; action: string };
// The compiler types the globals of a page, not those of a worker.
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

/** The action of the button that acknowledges the alarm. Notifications on screens have this id, so it must not change. */
const ACKNOWLEDGE = 'go';
const texts = {
  en: { acknowledge: "I'm on it", acknowledged: (name: string) => `${name} is on it.` },
  de: { acknowledge: 'Ich gehe hin', acknowledged: (name: string) => `${name} geht hin.` },
};
const textsIn = (language: string) => (language === 'de' ? texts.de : texts.en);

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const payload = event.data?.json();
  if (!payload) return;
  const { title, text, url, listUrl = null, language } = payload;
  const actions = url === null ? [] : [{ action: ACKNOWLEDGE, title: textsIn(language).acknowledge }];
  // The notification may be about a fall, so it stays until somebody reacts to it.
  const options = { body: text, lang: language, data: url ?? listUrl, requireInteraction: true, actions };
  event.waitUntil(worker.registration.showNotification(title, options));
});

/** Acknowledges an alarm at its URL, and shows who is on it. If that fails, opens the page of the alarm. */
const acknowledge = async ({ title, lang, data: url }: Notification): Promise<void> => {
  const answer = await fetch(url, {
    method: 'POST',
    // The URL is the credential. A session of this browser must not be used, and must not end.
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!answer?.ok) {
    await worker.clients.openWindow(url);
    return;
  }
  const { name }: { name: string } = await answer.json();
  await worker.registration.showNotification(title, { body: textsIn(lang).acknowledged(name), lang });
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
