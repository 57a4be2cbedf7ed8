// The service worker of the console. It shows what is pushed, also while no page of the console is open, and keeps nothing.

/** What the service pushes (shared/delivery/targets/people-texts.ts). */
type Letter = { title: string; text: string; url: string | null; language: string };
type Lasting = { waitUntil: (work: Promise<unknown>) => void };
type PushEvent = Lasting & { data: { json: () => Letter } | null };
type ClickEvent = Lasting & { notification: Notification };
// The compiler knows the page of a browser, not what a worker has instead.
type Scope = {
  registration: ServiceWorkerRegistration;
  clients: { openWindow: (url: string) => Promise<unknown> };
  skipWaiting: () => Promise<void>;
  addEventListener: {
    (type: 'install', listener: (event: Lasting) => void): void;
    (type: 'push', listener: (event: PushEvent) => void): void;
    (type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  };
};
const worker = globalThis as unknown as Scope;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const letter = event.data?.json();
  if (!letter) return;
  const { title, text, url, language } = letter;
  // It stays until somebody has seen it: it may tell of a fall.
  const options = { body: text, lang: language, data: url, requireInteraction: true };
  event.waitUntil(worker.registration.showNotification(title, options));
});

worker.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(worker.clients.openWindow(notification.data ?? worker.registration.scope));
});

export {};
